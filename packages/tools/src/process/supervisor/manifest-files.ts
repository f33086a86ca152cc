import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../../files/system-error.ts'
import { type Manifest, parseManifest } from './manifest.ts'

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const privateMode = 0o600
/** More than any command and its ids take. */
const maxManifestBytes = 1_048_576

const manifestName = /^([A-Za-z0-9_-]{22})\.manifest\.json$/
const temporaryName = /^\.[A-Za-z0-9_-]{22}\.[0-9a-f]{32}\.tmp$/

/** What a folder holds. */
export interface FoundManifests {
  readonly manifests: readonly Manifest[]
  /** Handles of what could not be read; the files stay as they are. */
  readonly corrupt: readonly string[]
}

/** The manifests of one session's folder, one private file each, replaced as a whole. */
export class ManifestFiles {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** On disk when it resolves: file and folder are synchronised. */
  async save(manifest: Manifest): Promise<void> {
    const temporary = join(this.#directory, `.${manifest.handle}.${randomBytes(16).toString('hex')}.tmp`)
    try {
      const file = await open(temporary, createFlags, privateMode)
      try {
        await file.writeFile(JSON.stringify(manifest))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, this.#path(manifest.handle))
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined)
      throw error
    }
    await this.#sync()
  }

  async remove(handle: string): Promise<void> {
    await rm(this.#path(handle), { force: true })
  }

  /** Reads all that is there, and takes away what a crash left unfinished. */
  async load(): Promise<FoundManifests> {
    const manifests: Manifest[] = []
    const corrupt: string[] = []
    for (const name of await readdir(this.#directory)) {
      const handle = manifestName.exec(name)?.[1]
      if (handle !== undefined) {
        const manifest = await this.#read(handle)
        if (manifest === undefined) corrupt.push(handle)
        else manifests.push(manifest)
      } else if (temporaryName.test(name)) {
        await rm(join(this.#directory, name), { force: true }).catch(() => undefined)
      }
    }
    return { manifests, corrupt }
  }

  /** Undefined for a link, a folder, what is too large, and what does not name itself. */
  async #read(handle: string): Promise<Manifest | undefined> {
    const file = await open(this.#path(handle), readFlags).catch(() => undefined)
    try {
      const stat = await file?.stat()
      if (file === undefined || stat?.isFile() !== true || stat.size > maxManifestBytes) return undefined
      const manifest = parseManifest(await file.readFile('utf8'))
      return manifest?.handle === handle ? manifest : undefined
    } catch {
      return undefined
    } finally {
      await file?.close()
    }
  }

  #path(handle: string): string {
    return join(this.#directory, `${handle}.manifest.json`)
  }

  async #sync(): Promise<void> {
    const folder = await open(this.#directory, constants.O_RDONLY).catch(() => undefined)
    try {
      await folder?.sync()
    } catch (error) {
      if (!isSystemError(error, 'EINVAL', 'EBADF', 'EPERM', 'EISDIR', 'ENOTSUP', 'EOPNOTSUPP')) throw error
    } finally {
      await folder?.close()
    }
  }
}
