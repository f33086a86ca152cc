/**
 * What foreign code said that had to answer at once. A promise answers too late and counts as nothing; its rejection must
 * not end the process.
 */
export function saidAtOnce(said: unknown): unknown {
  if (!(said instanceof Promise)) return said
  said.catch(() => undefined)
  return undefined
}
