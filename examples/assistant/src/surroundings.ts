import path from 'node:path'
import type { Readable } from 'node:stream'
import type { AssistantExtension } from './assistant.ts'
import { defaultDataFolder, type Environment, startFolder } from './paths.ts'
import type { Output } from './render/screen.ts'
import type { StopRequests } from './stop-requests.ts'

/** Everything that a run of the program reads and writes. */
export interface Surroundings {
  readonly argv: readonly string[]
  readonly env: Environment
  readonly cwd: string
  readonly platform: NodeJS.Platform
  /** The person's home folder. */
  readonly home: string
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined }
  readonly stdout: Output
  readonly stderr: Output
  readonly stop: StopRequests
  /** More than the assistant has by itself. */
  readonly extension?: AssistantExtension | undefined
}

/** The folders of a run, absolute. */
export interface Folders {
  readonly startFolder: string
  readonly dataFolder: string
  /** As the person named it; absent when they did not. */
  readonly workspace: string | undefined
}

/** Takes relative folders from where the person is. Touches nothing. */
export function resolveFolders(
  named: { readonly dataDir?: string | undefined; readonly workspace?: string | undefined },
  { env, cwd, platform, home }: Surroundings,
): Folders {
  const start = startFolder(env, cwd)
  return {
    startFolder: start,
    dataFolder: path.resolve(start, named.dataDir ?? defaultDataFolder(platform, env, home)),
    workspace: named.workspace === undefined ? undefined : path.resolve(start, named.workspace),
  }
}
