import { PassThrough } from 'node:stream'
import type { AssistantExtension } from '../src/assistant.ts'
import { runProgram } from '../src/program.ts'
import { StopRequests } from '../src/stop-requests.ts'
import { Capture } from './capture.ts'

/** What a run in this process is given. */
export interface ProgramRunOptions {
  readonly cwd: string
  readonly env?: { readonly [name: string]: string | undefined }
  readonly isTTY?: boolean
  readonly extension?: AssistantExtension
}

/** The whole program in this process: only the process itself is replaced. */
export class ProgramRun {
  readonly stdin: PassThrough & { isTTY?: boolean }
  readonly stdout = new Capture()
  readonly stderr = new Capture()
  /** How often the program would have ended at once. */
  exits = 0
  /** With a clock that runs fast, so that two signals are two keys. */
  readonly stop = new StopRequests(
    () => {
      this.exits += 1
    },
    () => (this.#now += 1_000),
  )
  #now = 0
  readonly code: Promise<number>

  constructor(argv: readonly string[], { cwd, env = {}, isTTY = false, extension }: ProgramRunOptions) {
    this.stdin = Object.assign(new PassThrough(), { isTTY })
    const { stdin, stdout, stderr, stop } = this
    const surroundings = { argv, env, cwd, platform: 'linux', home: cwd, stdin, stdout, stderr, stop } as const
    this.code = runProgram({ ...surroundings, extension })
  }
}
