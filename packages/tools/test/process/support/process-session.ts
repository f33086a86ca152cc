import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type InputId, type JsonObject, type LoopId, parseId, type SessionId, textOf, uuidV7 } from '@looprig/core'
import {
  buildTools,
  createFileObservations,
  createWorkspaceCoordinator,
  type FileObservations,
  type ProcessLifecycle,
  type SessionResource,
  type SessionResourceServices,
  type SessionResources,
  type ShellRunner,
  seal,
  type Tool,
  type ToolResult,
  type WorkspaceCoordinator,
} from '@looprig/tools'
import {
  type BashOptions,
  bashDefinition,
  commandEnvironment,
  directRunner,
  processInputDefinition,
  processOutputDefinition,
  processStopDefinition,
} from '@looprig/tools/process'
import { onTestFinished } from 'vitest'

/** What commands of tests get. */
export const environment = commandEnvironment({
  PATH: `${process.env.PATH}:/usr/local/bin:/usr/bin:/bin`,
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
})

/** A runner whose background processes let file tools go on. */
export function testRunner(): Required<Omit<ShellRunner, 'takesGrants'>> {
  return directRunner({ environment, graceMs: 300, backgroundAccess: { kind: 'read_only' } })
}

/** What a session journals and what it tells its models. */
export class RecordedServices implements SessionResourceServices {
  readonly events: ProcessLifecycle[] = []
  readonly notices: { readonly inputId: InputId; readonly loopId: LoopId; readonly text: string }[] = []
  /** In the order in which both came. */
  readonly log: string[] = []
  #wake = () => {}

  async publish(event: ProcessLifecycle): Promise<void> {
    if (this.events.some(({ eventId }) => eventId === event.eventId)) return
    this.events.push(event)
    this.log.push(event.kind)
    this.#wake()
  }

  async notify(notice: { readonly inputId: InputId; readonly loopId: LoopId; readonly text: string }): Promise<void> {
    if (this.notices.some(({ inputId }) => inputId === notice.inputId)) return
    this.notices.push(notice)
    this.log.push('notice')
    this.#wake()
  }

  /** Waits until this is in the log. */
  async until(entry: string): Promise<void> {
    while (!this.log.includes(entry)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** The resources of one session, as a harness keeps them. */
export class TestResources implements SessionResources {
  readonly services = new RecordedServices()
  readonly #folder: string
  readonly #made = new Map<string, Promise<SessionResource>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  async getOrCreate<T extends SessionResource>(key: string, create: (directory: string) => Promise<T>): Promise<T> {
    const made = this.#made.get(key) ?? this.#make(key, create)
    this.#made.set(key, made)
    return (await made) as T // the tests use one type per key
  }

  async activate(services: SessionResourceServices = this.services): Promise<void> {
    for (const made of this.#made.values()) await (await made).activate(services)
  }

  async shutdown(): Promise<void> {
    for (const made of this.#made.values()) await (await made).shutdown()
  }

  directoryOf(key: string): string {
    return join(this.#folder, key)
  }

  async #make(key: string, create: (directory: string) => Promise<SessionResource>): Promise<SessionResource> {
    await mkdir(this.directoryOf(key), { recursive: true, mode: 0o700 })
    return create(this.directoryOf(key))
  }
}

/** How a session of a test differs. */
export interface SessionSetup {
  readonly root?: string
  /** Where its resources lie; given again, the session is restored. */
  readonly folder?: string
  readonly runner?: ShellRunner
  readonly bash?: BashOptions
  readonly sessionId?: SessionId
  readonly loopId?: LoopId
  readonly resources?: TestResources
  readonly isActive?: boolean
  readonly services?: SessionResourceServices
}

/** The four process tools of one loop, over real processes. */
export interface ProcessSession {
  readonly root: string
  readonly folder: string
  readonly sessionId: SessionId
  readonly loopId: LoopId
  readonly resources: TestResources
  readonly services: RecordedServices
  readonly coordinator: WorkspaceCoordinator
  readonly observations: FileObservations
  readonly tools: Readonly<Record<string, Tool>>
  call(name: string, args: JsonObject, options?: CallOptions): Promise<ToolResult>
  /** Calls, and reads the JSON that comes back. */
  json(name: string, args: JsonObject, options?: CallOptions): Promise<JsonObject>
  bash(command: string, args?: JsonObject, options?: CallOptions): Promise<ToolResult>
  /** Starts a process of the background. */
  start(command: string, args?: JsonObject): Promise<string>
  /** Waits until it has ended. */
  ended(processId: string): Promise<JsonObject>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly grants?: readonly string[]
  readonly progress?: (text: string) => void
}

export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'looprig-process-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Builds the process tools of one loop. The session is shut down when the test ends. */
export async function openSession(setup: SessionSetup = {}): Promise<ProcessSession> {
  const root = setup.root ?? (await tempFolder())
  const folder = setup.folder ?? (await tempFolder())
  const resources = setup.resources ?? new TestResources(folder)
  const runner = setup.runner ?? testRunner()
  const { sessionId = parseId('SessionId', uuidV7()), loopId = parseId('LoopId', uuidV7()) } = setup
  const coordinator = createWorkspaceCoordinator()
  const observations = createFileObservations()
  const tools: Record<string, Tool> = {}
  const definitions = [
    bashDefinition({ resolver: () => runner }, setup.bash),
    processOutputDefinition(),
    processInputDefinition(),
    processStopDefinition(),
  ]
  for (const definition of definitions) {
    const workspace = { root, coordinator, observations }
    const built = await buildTools(definition, { sessionId, loopId, workspace, processes: { resources } })
    for (const tool of built) tools[tool.info.name] = tool
  }
  onTestFinished(() => resources.shutdown())
  if (setup.isActive !== false && setup.resources === undefined) await resources.activate(setup.services)

  const call = async (name: string, args: JsonObject, options: CallOptions = {}): Promise<ToolResult> => {
    const tool = tools[name]
    if (tool === undefined) throw new Error(`no tool ${name}`)
    const executionId = parseId('ToolExecutionId', uuidV7())
    const context = { executionId, toolUseId: 'call_1', signal: options.signal ?? new AbortController().signal }
    const prepared = await tool.prepareCall(context, JSON.stringify(args))
    const sealed = seal({ executionId, ...prepared, grants: options.grants })
    return tool.invoke({ ...context, prepared: sealed, progress: options.progress }, '{}')
  }
  const json = async (name: string, args: JsonObject, options?: CallOptions): Promise<JsonObject> =>
    jsonOf(await call(name, args, options))
  return {
    ...{ root, folder, sessionId, loopId, resources, coordinator, observations, tools, call, json },
    services: resources.services,
    bash: (command, args = {}, options) => call('Bash', { command, ...args }, options),
    start: async (command, args = {}) => idOf(await json('Bash', { command, background: true, ...args })),
    ended: (processId) => endOf(json, processId),
  }
}

async function endOf(json: ProcessSession['json'], processId: string): Promise<JsonObject> {
  let cursor = 0
  for (;;) {
    const shown = await json('ProcessOutput', { process_id: processId, wait: 'any', cursor, timeout_ms: 20_000 })
    if (shown.error !== undefined) return shown
    if (shown.finished_at !== undefined) return json('ProcessOutput', { process_id: processId })
    cursor = Number(shown.total_bytes)
  }
}

/** What a model reads. */
export function textOfResult(result: ToolResult): string {
  return textOf(result.content)
}

export function jsonOf(result: ToolResult): JsonObject {
  return JSON.parse(textOfResult(result)) as JsonObject // the tools answer with objects
}

export function idOf(json: JsonObject): string {
  if (typeof json.process_id !== 'string') throw new Error(`no process: ${JSON.stringify(json)}`)
  return json.process_id
}
