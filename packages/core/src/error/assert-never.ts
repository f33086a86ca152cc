/** Marks the end of an exhaustive switch: a new member of the union fails to compile here, a foreign value throws. */
export function assertNever(value: never, what: string): never {
  throw new TypeError(
    `unexpected ${what}: ${JSON.stringify((value as { type?: unknown } | null)?.type ?? typeof value)}`,
  )
}
