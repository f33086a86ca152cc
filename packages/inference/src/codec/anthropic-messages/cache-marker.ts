import type { CacheLifetime } from './cache-points.ts'

/** Writes cache markers into JSON text: on tools, instructions and the chosen messages, or nowhere. */
export class CacheMarker {
  readonly #control: string
  readonly #points: ReadonlySet<number> | undefined

  constructor(points: ReadonlySet<number> | undefined, lifetime: CacheLifetime) {
    const control = lifetime === '5m' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: lifetime }
    this.#control = `,"cache_control":${JSON.stringify(control)}}`
    this.#points = points
  }

  /** @param text - a JSON list of objects. */
  tools(text: string): string {
    return this.#points === undefined ? text : `${text.slice(0, -2)}${this.#control}]`
  }

  /** @param text - a JSON string. */
  system(text: string): string {
    return this.#points === undefined ? text : `[{"type":"text","text":${text}${this.#control}]`
  }

  /** @param parts - JSON objects with commas between them. */
  message(index: number, parts: string): string {
    return this.#points?.has(index) === true ? `${parts.slice(0, -1)}${this.#control}` : parts
  }
}
