import type { WireBody } from '../wire-body.ts'
import { compileBodies } from './compile-bodies.ts'

/** Bodies of one test, and what went wrong with them; made and compiled once for a whole file. */
export class CheckedBodies {
  readonly #bodies: WireBody[] = []
  readonly #failures = new Map<string, unknown>()
  #faults: ReadonlyMap<string, string> = new Map()

  /** Adds the bodies that a test makes. What it throws is that test's failure, and of no other. */
  async add(test: string, make: () => WireBody[] | Promise<WireBody[]>): Promise<void> {
    try {
      this.#bodies.push(...(await make()).map((body) => ({ ...body, name: `${test} | ${body.name}` })))
    } catch (error) {
      this.#failures.set(test, error)
    }
  }

  async compile(): Promise<void> {
    this.#faults = await compileBodies(this.#bodies)
  }

  /** What the compiler says of the bodies of a test. @throws what the test threw, or when it has no body at all. */
  faultsOf(test: string): string[] {
    if (this.#failures.has(test)) throw this.#failures.get(test)
    const own = this.#bodies.filter(({ name }) => name.startsWith(`${test} | `))
    if (own.length === 0) throw new Error(`${test}: no body was made`)
    return own.flatMap(({ name }) => {
      const fault = this.#faults.get(name)
      return fault === undefined ? [] : `${name}: ${fault}`
    })
  }
}
