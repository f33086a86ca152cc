import { isFinal, type Manifest } from './manifest.ts'
import type { ManifestFiles } from './manifest-files.ts'

/** What may change of a manifest. */
export type ManifestChange = Partial<
  Pick<
    Manifest,
    | 'state'
    | 'reason'
    | 'exitCode'
    | 'diagnostic'
    | 'startedAt'
    | 'finishedAt'
    | 'totalBytes'
    | 'isPublished'
    | 'notice'
  >
>

/** The manifest of one process, in memory as it is on disk: changed on disk first, one change at a time. */
export class ProcessRecord {
  readonly #files: ManifestFiles
  #current: Manifest
  #isDurable = true
  #last: Promise<unknown> = Promise.resolve()

  constructor(files: ManifestFiles, current: Manifest) {
    this.#files = files
    this.#current = current
  }

  get current(): Manifest {
    return this.#current
  }

  /** What is in memory is on disk. Not so after the disk refused what had happened. */
  get isDurable(): boolean {
    return this.#isDurable
  }

  /** Rejects with the system's error, and changes nothing, when the disk refuses. */
  update(change: ManifestChange): Promise<void> {
    return this.#enqueue(async () => {
      const next = this.#changed(change)
      await this.#files.save(next)
      this.#current = next
    })
  }

  /** Something has happened, whether or not that can be kept. */
  happened(change: ManifestChange): Promise<void> {
    return this.#enqueue(async () => {
      const next = this.#changed(change)
      this.#isDurable = await this.#files.save(next).then(
        () => true,
        () => false,
      )
      this.#current = next
    })
  }

  remove(): Promise<void> {
    return this.#enqueue(() => this.#files.remove(this.#current.handle))
  }

  /** What has ended stays as it ended. */
  #changed(change: ManifestChange): Manifest {
    const { state } = change
    if (state !== undefined && isFinal(this.#current.state)) throw new TypeError('a process ends once')
    return { ...this.#current, ...change }
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => undefined)
    return done
  }
}
