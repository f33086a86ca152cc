import { data } from '@looprig/core'
import { bodySchema } from '../event/body-schema.ts'

/** A tool as the manifest records it. */
export interface ManifestTool {
  readonly name: string
  readonly schemaDigest: string
}

/** One bound of a turn as the manifest records it. */
export interface ManifestLimit {
  readonly name: string
  readonly value: number
}

/** One thing that the application told of itself, as it told it. */
export interface ManifestAppField {
  readonly name: string
  readonly value: string
}

/** A mode of a loop as the manifest records it; what is absent is the loop's own. */
export interface ManifestMode {
  readonly name: string
  /** `provider/name` of its model. */
  readonly model?: string
  /** SHA-256 of what the model is called with beside its name. */
  readonly modelDigest?: string
  /** SHA-256 of the text that it adds to the system text. */
  readonly instructionsDigest?: string
  readonly tools?: readonly ManifestTool[]
  readonly limits?: readonly ManifestLimit[]
}

/**
 * How a loop's calls get access. `none`: no gate, every call that needs access is denied. `custom`: a gate that says
 * nothing of itself.
 */
export interface ManifestGate {
  readonly posture: 'none' | 'headless' | 'interactive' | 'custom'
  /** SHA-256 of what the gate says of its confinement. Absent: it says nothing. */
  readonly confinementDigest?: string
}

/** A loop as the manifest records it. */
export interface ManifestLoop {
  readonly name: string
  /** `provider/name` of its model. */
  readonly model: string
  /** SHA-256 of what the model is called with beside its name: sampling, limits, capabilities, prices. */
  readonly modelDigest?: string
  /** SHA-256 of the system text. */
  readonly systemDigest: string
  readonly tools: readonly ManifestTool[]
  /** Absent in sessions of older versions: not known. */
  readonly limits?: readonly ManifestLimit[]
  /** Absent in sessions of older versions: not known. */
  readonly gate?: ManifestGate
  readonly modes?: readonly ManifestMode[]
  readonly initialMode?: string
  /** The digest of the schema of its output. */
  readonly outputDigest?: string
  /** SHA-256 of its context policy. */
  readonly contextDigest?: string
  /** It has a runtime context. */
  readonly runtimeContext?: boolean
  /** How many it has. */
  readonly middlewares?: number
  /** The loops that it may start. */
  readonly delegates?: readonly string[]
  /** How it works with them. */
  readonly delegation?: 'sync' | 'managed'
  /** SHA-256 of what others are told of it. */
  readonly descriptionDigest?: string
}

/**
 * What a session runs with: names and digests, no prompt, schema, address or credential. A member that is absent stands
 * for what a rig without that option has.
 */
export interface Manifest {
  /** The rig's name. */
  readonly rig: string
  /** The canonical path of the workspace; `''` without one. */
  readonly workspace: string
  readonly loops: readonly ManifestLoop[]
  /** The loops that start with a session; absent when all do. */
  readonly primers?: readonly string[]
  /** How far agents may spread; absent when there can be none. */
  readonly delegationLimits?: readonly ManifestLimit[]
  /** The policy revision of the hooks; absent when there is no guard. */
  readonly hooksRevision?: string
  readonly app?: readonly ManifestAppField[]
}

const manifestTool = bodySchema<ManifestTool>()({ name: data.string(), schemaDigest: data.string() })
const limits = data.array(bodySchema<ManifestLimit>()({ name: data.string(), value: data.number() }))

const manifestMode = bodySchema<ManifestMode>()({
  name: data.string(),
  model: data.string().exactOptional(),
  modelDigest: data.string().exactOptional(),
  instructionsDigest: data.string().exactOptional(),
  tools: data.array(manifestTool).exactOptional(),
  limits: limits.exactOptional(),
})

const manifestGate = bodySchema<ManifestGate>()({
  posture: data.oneOf(['none', 'headless', 'interactive', 'custom']),
  confinementDigest: data.string().exactOptional(),
})

const manifestLoop = bodySchema<ManifestLoop>()({
  name: data.string(),
  model: data.string(),
  modelDigest: data.string().exactOptional(),
  systemDigest: data.string(),
  tools: data.array(manifestTool),
  limits: limits.exactOptional(),
  gate: manifestGate.exactOptional(),
  modes: data.array(manifestMode).exactOptional(),
  initialMode: data.string().exactOptional(),
  outputDigest: data.string().exactOptional(),
  contextDigest: data.string().exactOptional(),
  runtimeContext: data.boolean().exactOptional(),
  middlewares: data.number().exactOptional(),
  delegates: data.array(data.string()).exactOptional(),
  delegation: data.oneOf(['sync', 'managed']).exactOptional(),
  descriptionDigest: data.string().exactOptional(),
})

/** Reads a stored manifest. */
export const manifestSchema = bodySchema<Manifest>()({
  rig: data.string(),
  workspace: data.string(),
  loops: data.array(manifestLoop),
  primers: data.array(data.string()).exactOptional(),
  delegationLimits: limits.exactOptional(),
  hooksRevision: data.string().exactOptional(),
  app: data.array(bodySchema<ManifestAppField>()({ name: data.string(), value: data.string() })).exactOptional(),
})
