/** What a loop knows of one file. Valid only inside `withPath`: what is set later is dropped. */
export interface FileObservation {
  /**
   * `unknown`: it was not read since the loop began or since `forgetAll`; `absent`: there was no such file; else the
   * lower-case hex SHA-256 of all its raw bytes.
   */
  current: 'unknown' | 'absent' | { readonly hash: string }
}

/**
 * What one loop last read, so that it overwrites only what it knows: shared by its ReadFile, WriteFile, EditFile and
 * Bash, in all its modes. Two loops never share one. Never shown to a model, an event or an audit.
 */
export interface FileObservations {
  /**
   * Holds the path's critical section while `use` runs, also when it throws: one at a time for a path, in the order in
   * which they came. Asking for the same path again inside `use` never ends, nor may a permit of the coordinator that
   * others hold: whoever needs both takes the permit first.
   *
   * @param canonicalPath - absolute, clean, with every link resolved: an alias has a section of its own.
   */
  withPath<T>(canonicalPath: string, use: (observation: FileObservation) => Promise<T>): Promise<T>
  /** Makes every path `unknown`. What a section that runs now still learns counts no more once it ends. */
  forgetAll(): void
}

/** Makes the observations of one loop; it knows nothing yet. Entries are kept as long as the loop is. */
export function createFileObservations(): FileObservations {
  return new PathObservations()
}

interface Entry {
  current: FileObservation['current']
  /** How often everything had been forgotten when `current` was learned. */
  age: number
  /** Settles when the last that asked for the path is done; never rejects. */
  last: Promise<void>
}

class PathObservations implements FileObservations {
  readonly #entries = new Map<string, Entry>()
  #age = 0

  async withPath<T>(canonicalPath: string, use: (observation: FileObservation) => Promise<T>): Promise<T> {
    const entry = this.#entry(canonicalPath)
    const before = entry.last
    let done = () => {}
    entry.last = new Promise((resolve) => {
      done = resolve
    })
    await before
    const age = this.#age
    const observation: FileObservation = { current: entry.age === age ? entry.current : 'unknown' }
    try {
      return await use(observation)
    } finally {
      entry.current = observation.current
      entry.age = age
      done()
    }
  }

  forgetAll(): void {
    this.#age += 1
  }

  #entry(path: string): Entry {
    const known = this.#entries.get(path)
    if (known !== undefined) return known
    const entry: Entry = { current: 'unknown', age: this.#age, last: Promise.resolve() }
    this.#entries.set(path, entry)
    return entry
  }
}
