import type { RunContext } from '../../contract/tool-spec.ts'
import { sessionSupervisor } from '../supervisor/session-supervisor.ts'
import { checkedSettings, type ProcessSettings } from '../supervisor/settings.ts'
import type { ProcessSupervisor } from '../supervisor/supervisor.ts'

/** What an application may set for ProcessOutput, ProcessInput and ProcessStop. */
export interface ProcessControlOptions {
  /** Limits of the session's processes; equal in all definitions that give any. Default: those that Bash gives. */
  readonly processes?: ProcessSettings | undefined
}

/** What a call to one of them runs with. */
export type ControlContext = RunContext<readonly ['processes'], ProcessSupervisor>

/**
 * Prepares the options of a definition.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the setting.
 */
export function controlSetup(definition: string, options: ProcessControlOptions): ControlSetup {
  const settings = checkedSettings(definition, options.processes)
  return ({ processes }) => sessionSupervisor(definition, processes, settings)
}

type ControlSetup = (bindings: Pick<ControlContext, 'processes'>) => Promise<ProcessSupervisor>
