import type { ProcessesBinding } from '../../contract/bindings.ts'
import { DefinitionBuildError } from '../../contract/errors.ts'
import type { ProcessSettings } from './settings.ts'
import { ProcessSupervisor } from './supervisor.ts'

/** Under which a session keeps its supervisor: part of what is on disk, never changed. */
export const supervisorKey = 'looprig-processes'

/**
 * The one supervisor of the session: whichever definition is built first makes it.
 *
 * @throws DefinitionBuildError `missing_dependency` when the session keeps no resources, or something else is under the
 *   key; `invalid_definition` when its limits are others.
 */
export async function sessionSupervisor(
  definition: string,
  { resources }: ProcessesBinding,
  settings: ProcessSettings | undefined,
  now?: () => number,
): Promise<ProcessSupervisor> {
  let found: unknown
  try {
    found = await resources.getOrCreate(supervisorKey, async (directory) => new ProcessSupervisor(directory))
  } catch (cause) {
    throw new DefinitionBuildError('missing_dependency', definition, 'process_registry', { cause })
  }
  if (!ProcessSupervisor.isOne(found)) {
    throw new DefinitionBuildError('missing_dependency', definition, 'process_registry')
  }
  found.configure(definition, settings, now)
  return found
}
