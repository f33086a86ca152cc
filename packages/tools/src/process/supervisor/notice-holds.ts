/**
 * Keeps back the notice of an end while a call waits that would tell the model of it anyway: when the last such call is
 * over, the notice is needed only if none of them has shown the end.
 */
export class NoticeHolds {
  #count = 0
  #isSeen = false
  #released = () => {}

  /** @returns to be called once, with whether the call's result shows the end. */
  hold(): (isSeen: boolean) => void {
    this.#count += 1
    let isOver = false
    return (isSeen) => {
      if (isOver) return
      isOver = true
      this.#isSeen ||= isSeen
      this.#count -= 1
      if (this.#count === 0) this.#released()
    }
  }

  /** Resolves when nobody holds, with whether the end was shown. One may wait. */
  async settled(): Promise<boolean> {
    while (this.#count > 0) {
      await new Promise<void>((resolve) => {
        this.#released = resolve
      })
    }
    return this.#isSeen
  }
}
