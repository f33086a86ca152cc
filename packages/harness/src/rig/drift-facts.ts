import type { DriftCategory } from './drift-change.ts'
import type { Manifest, ManifestLoop, ManifestMode } from './manifest.ts'

/** One thing that a manifest says. */
export interface Fact {
  readonly category: DriftCategory
  readonly value: string
  /** The field that this one is a part of: its parts say nothing more where it is missing. */
  readonly partOf?: string
}

/** All that a manifest says, by field. */
export type Facts = ReadonlyMap<string, Fact>

/** Takes a manifest apart: each field is one thing that can be told, judged and accepted by itself. */
export function manifestFacts(manifest: Manifest): Facts {
  const facts = new FactList()
  facts.add('rig', 'display', manifest.rig)
  facts.add('workspace', 'workspace', manifest.workspace)
  facts.add('hooks', 'hooks', manifest.hooksRevision)
  for (const { name, value } of manifest.app ?? []) facts.add(`app.${name}`, 'app', value)
  for (const { name, value } of manifest.delegationLimits ?? [])
    facts.add(`delegation.${name}`, 'limits', String(value))
  for (const loop of manifest.loops) {
    const isPrimer = manifest.primers === undefined || manifest.primers.includes(loop.name)
    facts.add(`loops.${loop.name}`, 'loops', isPrimer ? 'starts' : 'delegate')
    addLoop(facts.partsOf(`loops.${loop.name}`), loop)
  }
  return facts.all
}

function addLoop(parts: FactList, loop: ManifestLoop): void {
  addRecipe(parts, loop)
  parts.add('system', 'system', loop.systemDigest)
  parts.add('gate', 'gate', loop.gate?.posture)
  if (loop.gate !== undefined) parts.add('confinement', 'confinement', loop.gate.confinementDigest ?? 'none')
  parts.add('initialMode', 'modes', loop.initialMode)
  parts.add('output', 'output', loop.outputDigest)
  parts.add('context', 'context', loop.contextDigest)
  parts.add('runtimeContext', 'context', loop.runtimeContext === true ? 'defined' : undefined)
  parts.add('middlewares', 'middlewares', loop.middlewares?.toString())
  parts.add('description', 'display', loop.descriptionDigest)
  parts.add('delegation', 'delegates', loop.delegation)
  for (const name of loop.delegates ?? []) parts.add(`delegates.${name}`, 'delegates', 'allowed')
  for (const mode of loop.modes ?? []) addMode(parts, mode)
}

function addMode(loop: FactList, mode: ManifestMode): void {
  const field = `modes.${mode.name}`
  loop.add(field, 'modes', 'defined')
  const parts = loop.partsOf(field)
  addRecipe(parts, mode)
  parts.add('instructions', 'system', mode.instructionsDigest)
  // a list of its own, even an empty one, is not the loop's list
  parts.add('tools', 'tools', mode.tools === undefined ? "the loop's" : 'its own')
}

/** What a loop and each of its modes have alike. */
function addRecipe(parts: FactList, recipe: ManifestLoop | ManifestMode): void {
  parts.add('model', 'model', recipe.model)
  parts.add('modelSettings', 'model', recipe.modelDigest)
  for (const { name, value } of recipe.limits ?? []) parts.add(`limits.${name}`, 'limits', String(value))
  for (const { name, schemaDigest } of recipe.tools ?? []) parts.add(`tools.${name}`, 'tools', schemaDigest)
}

/** Collects facts below one field. */
class FactList {
  readonly all: Map<string, Fact>
  readonly #partOf: string | undefined

  constructor(all = new Map<string, Fact>(), partOf?: string) {
    this.all = all
    this.#partOf = partOf
  }

  /** What is not there is no fact. */
  add(name: string, category: DriftCategory, value: string | undefined): void {
    if (value === undefined) return
    const of = this.#partOf
    if (of === undefined) this.all.set(name, { category, value })
    else this.all.set(`${of}.${name}`, { category, value, partOf: of })
  }

  partsOf(field: string): FactList {
    const of = this.#partOf
    return new FactList(this.all, of === undefined ? field : `${of}.${field}`)
  }
}
