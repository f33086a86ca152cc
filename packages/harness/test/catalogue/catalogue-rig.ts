/** A rig with the whole catalogue of tools over real parts: files, processes, rules. Imports no test runner, so children run it. */
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { textOf } from '@looprig/core'
import { createInferenceStream, type InferenceClient, InferenceError, type InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import type { AccessSource, GrantBinding, RuleWriter, ShellRunner, ToolDefinition } from '@looprig/tools'
import { askUserDefinition } from '@looprig/tools/ask-user'
import { type PermissionStore, permissionStore } from '@looprig/tools/permission'
import {
  bashDefinition,
  commandEnvironment,
  directRunner,
  processInputDefinition,
  processOutputDefinition,
  processStopDefinition,
} from '@looprig/tools/process'
import { workspaceSkillDefinition } from '@looprig/tools/skill'
import { durableTaskDefinitions } from '@looprig/tools/task'
import {
  createFixedSearch,
  createGuardedClient,
  fetchDefinition,
  type SearchProvider,
  webSearchDefinition,
} from '@looprig/tools/web'
import {
  createReadGuard,
  editFileDefinition,
  globDefinition,
  grepDefinition,
  readFileDefinition,
  writeFileDefinition,
} from '@looprig/tools/workspace'
import { defineLoop, defineRig, headlessGate, interactiveGate, type Rig } from '../../src/index.ts'
import { strictClient } from '../../src/testing.ts'

/** One response of the model; it may depend on what the model was shown, and things may happen before it comes. */
export type Says = ScriptedResponse | ((request: InferenceRequest) => ScriptedResponse | Promise<ScriptedResponse>)

/** What differs between tests, and between the processes of one session. */
export interface CatalogueSetup {
  readonly store: Store
  /** Holds the workspace, the rules and what sessions keep. */
  readonly folder: string
  readonly says?: readonly Says[]
  /** What the model of the agent `helper` says; with it `main` may start one. */
  readonly helperSays?: readonly Says[]
  readonly headless?: boolean
  /** Kinds of requirement that configuration allows; a read inside of the workspace always is. Default: none. */
  readonly allowed?: readonly string[]
  /** Goes around the writing of rules. */
  readonly aroundRules?: (write: () => Promise<void>) => Promise<void>
  readonly environment?: Readonly<Record<string, string>>
  /** Hosts of tests that Fetch may reach. */
  readonly hosts?: readonly string[]
  /** Instead of one without results. */
  readonly search?: SearchProvider
  /** Goes around what runs commands. */
  readonly aroundRunner?: (runner: ShellRunner) => ShellRunner
}

/** A command that was handed to the runner, with its grants. */
export interface RanCommand {
  readonly command: string
  readonly grants: readonly string[]
}

/** A rig, and what its parts saw. */
export interface CatalogueRig {
  readonly rig: Rig
  readonly rules: PermissionStore
  /** The grants that were made. */
  readonly issued: readonly GrantBinding[]
  readonly ran: readonly RanCommand[]
  readonly requests: readonly InferenceRequest[]
}

/** Every kind of requirement that the catalogue has. */
export const requirementKinds = ['filesystem.read', 'filesystem.write', 'command.execute', 'network', 'context.load']

/** The places in a folder of a test. */
export function placesIn(folder: string) {
  return {
    workspace: join(folder, 'workspace'),
    rules: join(folder, 'rules', 'rules.json'),
    resources: join(folder, 'resources'),
  }
}

/** Makes the rig of one process over a folder. */
export async function catalogueRig(setup: CatalogueSetup): Promise<CatalogueRig> {
  const places = placesIn(setup.folder)
  mkdirSync(places.workspace, { recursive: true })
  mkdirSync(join(setup.folder, 'rules'), { recursive: true, mode: 0o700 })
  const rules = await permissionStore({ path: places.rules })
  const issued: GrantBinding[] = []
  const ran: RanCommand[] = []
  const requests: InferenceRequest[] = []
  const { aroundRules = (write) => write() } = setup
  const writer: RuleWriter = { writeRules: (candidates) => aroundRules(() => rules.writeRules(candidates)) }
  const issuer = {
    issueGrant: async (binding: GrantBinding) => {
      issued.push(binding)
      return `grant-${issued.length}`
    },
  }
  const access = [accessOf(realpathSync(places.workspace), setup.allowed ?? [])]
  const gate =
    setup.headless === true
      ? headlessGate({ access, rules: { source: rules }, issuer })
      : interactiveGate({ access, rules: { source: rules, writer }, issuer })
  const loopOf = (name: string, says: readonly Says[], delegates?: readonly string[]) =>
    defineLoop({
      name,
      client: strictClient(sayingClient(says, requests)),
      model: { provider: 'scripted', name: 'm' },
      tools: definitionsOf(setup, ran),
      gate,
      delegates,
    })
  const helpers = setup.helperSays === undefined ? [] : [loopOf('helper', setup.helperSays)]
  const main = loopOf('main', setup.says ?? [], helpers.length === 0 ? undefined : ['helper'])
  const rig = defineRig({
    loops: [main, ...helpers],
    store: setup.store,
    workspace: { root: places.workspace },
    resources: { root: places.resources },
  })
  return { rig, rules, issued, ran, requests }
}

/** All tools that an application would give a loop. */
function definitionsOf(setup: CatalogueSetup, ran: RanCommand[]): readonly ToolDefinition[] {
  const { hosts = [], search = createFixedSearch([]) } = setup
  const runner = runnerFor(setup, ran)
  const readGuard = createReadGuard({ deny: ['**/.env*', '**/*.pem'], maxReadBytes: 262_144 })
  return [
    readFileDefinition({ readGuard }),
    writeFileDefinition({ readGuard }),
    editFileDefinition({ readGuard }),
    globDefinition({ readGuard }),
    grepDefinition({ readGuard }, { ripgrep: false }),
    bashDefinition({ resolver: () => runner }),
    processOutputDefinition(),
    processInputDefinition(),
    processStopDefinition(),
    // as source: a script that was bundled into another folder finds no optional package
    fetchDefinition({ client: createGuardedClient({ allowPrivateHosts: hosts }) }, { html: 'source' }),
    webSearchDefinition({ provider: search }),
    durableTaskDefinitions(),
    askUserDefinition(),
    workspaceSkillDefinition({ readGuard }),
  ]
}

function runnerFor(
  { environment = {}, aroundRunner = (runner) => runner }: CatalogueSetup,
  ran: RanCommand[],
): ShellRunner {
  const direct = directRunner({
    environment: commandEnvironment({ PATH: '/usr/bin:/bin', ...environment }),
    backgroundAccess: { kind: 'read_only' },
    graceMs: 300,
  })
  const runner = aroundRunner(direct)
  return {
    ...runner,
    takesGrants: true,
    runCommand: (request) => {
      ran.push({ command: request.command, grants: request.grants })
      return runner.runCommand(request)
    },
  }
}

function accessOf(root: string, allowed: readonly string[]): AccessSource {
  return {
    kinds: requirementKinds,
    accessFor: ({ kind, scope }) => {
      const isInside = scope === root || scope.startsWith(`${root}/`)
      return allowed.includes(kind) || (kind === 'filesystem.read' && isInside) ? 'allow' : 'ask'
    },
  }
}

function sayingClient(says: readonly Says[], requests: InferenceRequest[]): InferenceClient {
  let next = 0
  const stream: InferenceClient['stream'] = (request, options) =>
    createInferenceStream(async function* (signal) {
      requests.push(request)
      const say = says[next]
      if (say === undefined) throw new InferenceError('script_exhausted', 'the script has no further response')
      next += 1
      const response = typeof say === 'function' ? await say(request) : say
      yield* scriptedClient([response]).stream(request, { signal })
    }, options?.signal)
  return { stream, invoke: (request, options) => stream(request, options).result() }
}

/** The texts of the results that a model was shown. */
export function shownResults({ messages }: Pick<InferenceRequest, 'messages'>): readonly string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [textOf(message.blocks)] : []))
}

/** The id of the process that the last result tells. */
export function shownProcess(request: InferenceRequest): string {
  return String(JSON.parse(shownResults(request).at(-1) ?? '{}').process_id)
}
