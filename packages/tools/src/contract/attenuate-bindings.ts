import { isAbsolute } from 'node:path'
import type {
  AvailableBindings,
  BindingKinds,
  BindingName,
  BindingsFor,
  OfferedWorkspace,
  ProcessesBinding,
} from './bindings.ts'
import type { ToolDefinition } from './definition.ts'
import { DefinitionBuildError } from './errors.ts'
import { createFileObservations } from './file-observations.ts'
import { createWorkspaceCoordinator } from './workspace-coordinator.ts'

type Refuse = (field: string) => never

/** How each binding is read: checked, and copied, so that who offered it cannot change it later. */
const readers: { readonly [K in BindingName]: (offered: never, refuse: Refuse) => BindingKinds[K] } = {
  workspace: readWorkspace,
  processes: readProcesses,
}

/** Says whether there is a binding of this name. */
export function isBindingName(name: unknown): name is BindingName {
  return typeof name === 'string' && Object.hasOwn(readers, name)
}

/**
 * Gives a definition the bindings that it requires, and no other.
 *
 * @throws DefinitionBuildError `missing_dependency` or `invalid_binding` naming what is missing or wrong.
 */
export function attenuateBindings(
  definition: ToolDefinition,
  available: AvailableBindings,
): BindingsFor<readonly BindingName[]> {
  const refuse = (field: string): never => {
    throw new DefinitionBuildError('invalid_binding', definition.name, field)
  }
  const { sessionId, loopId } = available ?? refuse('bindings')
  if (!isText(sessionId)) refuse('sessionId')
  if (!isText(loopId)) refuse('loopId')
  const bindings: { [key: string]: unknown } = { sessionId, loopId }
  for (const name of definition.requires) {
    const offered = available[name]
    if (offered === undefined || offered === null) {
      throw new DefinitionBuildError('missing_dependency', definition.name, name)
    }
    // proved: each reader is kept under the name of what it reads
    bindings[name] = Object.freeze(readers[name](offered as never, refuse))
  }
  return Object.freeze(bindings) as unknown as BindingsFor<readonly BindingName[]> // proved: each name was bound above
}

function readWorkspace(offered: OfferedWorkspace, refuse: Refuse): BindingKinds['workspace'] {
  const { root, coordinator = createWorkspaceCoordinator(), observations = createFileObservations() } = offered
  if (!isText(root) || !isAbsolute(root)) refuse('workspace.root')
  if (!hasMethods(coordinator, ['acquire', 'acquireLifetime'])) refuse('workspace.coordinator')
  if (!hasMethods(observations, ['withPath', 'forgetAll'])) refuse('workspace.observations')
  return { root, coordinator, observations }
}

function readProcesses({ resources }: ProcessesBinding, refuse: Refuse): BindingKinds['processes'] {
  if (!hasMethods(resources, ['getOrCreate'])) refuse('processes.resources')
  return { resources }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/** Callers without types exist. */
function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return names.every((name) => typeof Reflect.get(value, name) === 'function')
}
