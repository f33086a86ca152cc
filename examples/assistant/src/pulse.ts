/** Something that happens again and again, for those who wait for the next time. */
export class Pulse {
  #count = 0
  #fire: () => void = () => undefined
  #next: Promise<void> = Promise.resolve()

  constructor() {
    this.#renew()
  }

  /** How often it happened so far. */
  get count(): number {
    return this.#count
  }

  /** Resolves when it happened more than `count` times. */
  after(count: number): Promise<void> {
    return this.#count > count ? Promise.resolve() : this.#next
  }

  fire(): void {
    this.#count += 1
    this.#fire()
    this.#renew()
  }

  #renew(): void {
    this.#next = new Promise((resolve) => {
      this.#fire = resolve
    })
  }
}
