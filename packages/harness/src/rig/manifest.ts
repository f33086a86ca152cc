import { hash } from 'node:crypto'
import { z } from 'zod'
import { bodySchema } from '../event/body-schema.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { DriftChange } from './drift-change.ts'

/** A tool as the manifest records it. */
export interface ManifestTool {
  readonly name: string
  readonly schemaDigest: string
}

/** A loop as the manifest records it. */
export interface ManifestLoop {
  readonly name: string
  /** `provider/name` of its model. */
  readonly model: string
  /** SHA-256 of the system text. */
  readonly systemDigest: string
  readonly tools: readonly ManifestTool[]
}

/** What a session was made with: names and digests, no prompt, schema or credential. */
export interface Manifest {
  /** The rig's name. */
  readonly rig: string
  /** The canonical path of the workspace; `''` without one. */
  readonly workspace: string
  readonly loops: readonly ManifestLoop[]
}

const manifestTool = bodySchema<ManifestTool>()({ name: z.string(), schemaDigest: z.string() })
const manifestLoop = bodySchema<ManifestLoop>()({
  name: z.string(),
  model: z.string(),
  systemDigest: z.string(),
  tools: z.array(manifestTool),
})

/** Reads a stored manifest. */
export const manifestSchema = bodySchema<Manifest>()({
  rig: z.string(),
  workspace: z.string(),
  loops: z.array(manifestLoop),
})

/** Records what a rig is made of. */
export function createManifest(rig: string, workspace: string | undefined, loops: readonly LoopDefinition[]): Manifest {
  return {
    rig,
    workspace: workspace ?? '',
    loops: loops.map((loop) => ({
      name: loop.name,
      model: `${loop.model.provider}/${loop.model.name}`,
      systemDigest: hash('sha256', loop.system, 'hex'),
      tools: loop.tools.flatMap((definition) =>
        definition.produces.map(({ name, schemaDigest }) => ({ name, schemaDigest })),
      ),
    })),
  }
}

/**
 * Tells what keeps a session from being restored by this rig: another workspace, other loops or other tools. Another
 * model or system text is taken.
 */
export function compareManifests(recorded: Manifest, present: Manifest): readonly DriftChange[] {
  const changes: DriftChange[] = []
  const compare = (field: string, was: string, is: string) => {
    if (was !== is) changes.push({ field, recorded: was, present: is })
  }
  compare('workspace', recorded.workspace, present.workspace)
  compare(
    'loops',
    recorded.loops.map((loop) => loop.name).join(', '),
    present.loops.map((loop) => loop.name).join(', '),
  )
  for (const loop of recorded.loops) {
    const now = present.loops.find((other) => other.name === loop.name)
    if (now !== undefined) compareTools(loop, now, compare)
  }
  return changes
}

function compareTools(was: ManifestLoop, is: ManifestLoop, compare: (field: string, a: string, b: string) => void) {
  const names = (loop: ManifestLoop) => loop.tools.map((tool) => tool.name).join(', ')
  compare(`loops.${was.name}.tools`, names(was), names(is))
  for (const tool of was.tools) {
    const now = is.tools.find((other) => other.name === tool.name)
    if (now !== undefined) compare(`loops.${was.name}.tools.${tool.name}.schema`, tool.schemaDigest, now.schemaDigest)
  }
}
