import { hash } from 'node:crypto'
import { canonicalJson, type JsonValue } from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { ToolDefinition } from '@looprig/tools'
import type { ContextPolicy } from '../context/context-policy.ts'
import { isAgentToolName } from '../delegate/agent-tool-names.ts'
import type { DelegationLimits } from '../delegate/delegation-limits.ts'
import { DefinitionError } from '../error/errors.ts'
import type { Gate } from '../gate/gate.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { LoopLimits } from '../loop/limits.ts'
import type { DefinedMode } from '../loop/loop-mode.ts'
import type { Manifest, ManifestGate, ManifestLimit, ManifestLoop, ManifestMode, ManifestTool } from './manifest.ts'
import type { RigParts } from './rig-parts.ts'

/** Records what a rig is made of; nothing is built for it. `workspace`: its canonical path, `''` without one. */
export function createManifest(rig: RigParts, workspace: string): Manifest {
  return {
    rig: rig.name,
    workspace,
    loops: rig.loops.map(loopManifest),
    ...(rig.primers.length === rig.loops.length ? {} : { primers: rig.primers.map(({ name }) => name) }),
    ...(rig.loops.every(({ delegates }) => delegates.length === 0)
      ? {}
      : { delegationLimits: limitsManifest(rig.delegation) }),
    ...(rig.hooks.policyRevision === undefined ? {} : { hooksRevision: rig.hooks.policyRevision }),
    ...(rig.appFields.length === 0 ? {} : { app: rig.appFields }),
  }
}

function loopManifest(loop: LoopDefinition): ManifestLoop {
  return {
    name: loop.name,
    ...modelManifest(loop.model),
    systemDigest: digestText(loop.system),
    tools: toolsManifest(loop.tools),
    limits: [...limitsManifest(loop.limits), { name: 'drainTimeoutMs', value: loop.drainTimeoutMs }],
    gate: gateManifest(loop),
    ...(loop.modes.length === 0
      ? {}
      : { modes: loop.modes.map((mode) => modeManifest(mode, loop)), initialMode: loop.initialMode }),
    ...(loop.output === undefined ? {} : { outputDigest: loop.output.schemaDigest }),
    ...(loop.context === undefined ? {} : { contextDigest: contextDigest(loop.context) }),
    ...(loop.runtimeContext === undefined ? {} : { runtimeContext: true }),
    ...(loop.middlewares.length === 0 ? {} : { middlewares: loop.middlewares.length }),
    ...(loop.delegates.length === 0 ? {} : { delegates: loop.delegates, delegation: loop.delegation }),
    ...(loop.description === '' ? {} : { descriptionDigest: digestText(loop.description) }),
  }
}

/** Only what a mode has of its own, so that a change of the loop is one change. */
function modeManifest(mode: DefinedMode, loop: LoopDefinition): ManifestMode {
  const ofLoop = new Map(limitsManifest(loop.limits).map(({ name, value }) => [name, value]))
  const limits = limitsManifest(mode.limits).filter(({ name, value }) => ofLoop.get(name) !== value)
  // what a mode adds follows the loop's text
  const instructions = mode.system.slice(loop.system.length)
  return {
    name: mode.name,
    ...(mode.hasModel ? modelManifest(mode.model) : {}),
    ...(instructions === '' ? {} : { instructionsDigest: digestText(instructions) }),
    ...(mode.tools === loop.tools ? {} : { tools: toolsManifest(mode.tools) }),
    ...(limits.length === 0 ? {} : { limits }),
  }
}

function limitsManifest(limits: LoopLimits | DelegationLimits): readonly ManifestLimit[] {
  return Object.entries(limits).map(([name, value]) => ({ name, value }))
}

function modelManifest({ provider, name, ...settings }: Model) {
  const isBare = Object.values(settings).every((value) => value === undefined)
  return { model: `${provider}/${name}`, ...(isBare ? {} : { modelDigest: digestJson(settings) }) }
}

/** Without the tools by which a loop works with its delegates: these are what a change of them is told by. */
function toolsManifest(tools: readonly ToolDefinition[]): readonly ManifestTool[] {
  return tools
    .flatMap(({ produces }) => produces)
    .filter(({ name }) => !isAgentToolName(name))
    .map(({ name, schemaDigest }) => ({ name, schemaDigest }))
}

/** What a gate says of its confinement may name what it likes, so only its digest is kept. */
function gateManifest({ name, gate }: LoopDefinition): ManifestGate {
  if (gate === undefined) return { posture: 'none' }
  const posture = gate.headless === undefined ? 'custom' : gate.headless ? 'headless' : 'interactive'
  const confinement = readConfinement(name, gate)
  return { posture, ...(confinement === undefined ? {} : { confinementDigest: digestText(confinement) }) }
}

/** @throws DefinitionError when the gate cannot say: nothing may rest on a guess. */
function readConfinement(loop: string, gate: Gate): string | undefined {
  let cause: unknown
  try {
    const said: unknown = gate.confinement
    if (said === undefined || typeof said === 'string') return said
  } catch (error) {
    cause = error
  }
  throw new DefinitionError(`loops.${loop}.gate.confinement`, 'expected a text', { cause })
}

/** Of a counter only that it is there can be told, and whether it claims to be exact. */
function contextDigest({ counter, ...policy }: ContextPolicy): string {
  const counting = counter === undefined ? 'none' : counter.exact ? 'exact' : 'rough'
  return digestJson({ ...policy, counter: counting })
}

function digestText(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Of plain data: members that are `undefined` do not count, nor does their order. */
function digestJson(data: object): string {
  return digestText(canonicalJson(data as JsonValue)) // proved: JSON.stringify leaves out what is not JSON
}
