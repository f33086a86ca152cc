import { isAbsolute, normalize } from 'node:path'
import { FileError } from '../errors.ts'
import type { PermissionRule } from '../rule/permission-rule.ts'
import { readDocument, writeDocument } from '../rule/read-document.ts'
import { readSecure } from './read-secure.ts'
import { type OnStep, prepareFolder, removeLeftovers, replaceFile } from './replace-file.ts'
import { withLock } from './with-lock.ts'

/** The rules in one file, shared with other processes. */
export class RuleFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #onStep: OnStep | undefined
  #bytes: Buffer | undefined
  #rules: readonly PermissionRule[] = []
  #writes: Promise<unknown> = Promise.resolve()

  /** @throws FileError `path_invalid` */
  constructor(path: string, maxBytes: number, onStep?: OnStep) {
    const normal = path !== '' && !path.includes('\0') && isAbsolute(path) && normalize(path) === path
    if (!normal || path.endsWith('/')) throw new FileError('path_invalid')
    this.#path = path
    this.#maxBytes = maxBytes
    this.#onStep = onStep
  }

  /**
   * The rules as the file has them now. The bytes are read each time, since neither a time nor a size proves that a file is
   * the same: a clock is coarse and can be set. They are parsed only when they are others than last time.
   *
   * @returns nothing when there is no file.
   * @throws FileError
   */
  async read(): Promise<readonly PermissionRule[] | undefined> {
    const bytes = await readSecure(this.#path, this.#maxBytes)
    if (bytes === undefined) return undefined
    if (this.#bytes?.equals(bytes) === true) return this.#rules
    const rules = parse(bytes)
    this.#bytes = bytes
    this.#rules = rules
    return rules
  }

  /**
   * Changes the rules under the lock, from what the file has by then. `change` may be called again, and returns nothing when
   * there is nothing to change.
   *
   * @throws FileError
   */
  change(change: (rules: readonly PermissionRule[]) => readonly PermissionRule[] | undefined): Promise<void> {
    const next = this.#writes.then(() => this.#changeLocked(change))
    this.#writes = next.catch(() => {})
    return next
  }

  async #changeLocked(change: (rules: readonly PermissionRule[]) => readonly PermissionRule[] | undefined) {
    await prepareFolder(this.#path)
    await withLock(this.#path, async (lock) => {
      await removeLeftovers(this.#path)
      for (let tries = 0; tries < maxTries; tries += 1) {
        const before = await readSecure(this.#path, this.#maxBytes)
        const rules = change(before === undefined ? [] : parse(before))
        if (rules === undefined) return
        const bytes = Buffer.from(writeDocument(rules))
        if (bytes.length > this.#maxBytes) throw new FileError('too_large')
        // What is written must be readable, or every later call would be refused.
        parse(bytes)
        let changed = false
        await replaceFile(this.#path, bytes, async (step) => {
          await this.#onStep?.(step)
          if (step !== 'rename') return
          if (!lock.isHeld()) throw new FileError('lock')
          // Someone who does not know the lock, an editor, has saved the file in between.
          const now = await readSecure(this.#path, this.#maxBytes)
          changed = !(before === undefined ? now === undefined : now?.equals(before) === true)
          if (changed) throw new FileError('lock')
        }).catch((error: unknown) => {
          if (!changed) throw error
        })
        if (!changed) return
      }
      throw new FileError('lock')
    })
  }
}

const maxTries = 5

function parse(bytes: Buffer): readonly PermissionRule[] {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new FileError('malformed')
  }
  return readDocument(text)
}
