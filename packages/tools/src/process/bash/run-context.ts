import { isLooprigError } from '@looprig/core'
import type { ShellRunner } from '../../contract/runner.ts'
import type { RunContext } from '../../contract/tool-spec.ts'
import type { Permit } from '../../contract/workspace-coordinator.ts'
import { processError } from '../codes.ts'
import type { ProcessSupervisor } from '../supervisor/supervisor.ts'
import type { BashSettings } from './options.ts'

/** What the calls of one build share. */
export interface BashParts {
  readonly runner: ShellRunner
  readonly supervisor: ProcessSupervisor
  readonly settings: BashSettings
}

/** What a call to Bash runs with. */
export type BashContext = RunContext<readonly ['workspace', 'processes'], BashParts>

/** The grants of a call, for a runner that takes them. */
export function grantsFor({ deps, grants }: BashContext): readonly string[] {
  return deps.runner.takesGrants === true ? grants : []
}

/**
 * Waits for the workspace, for a bounded time.
 *
 * @throws ToolError `interrupted`; `workspace_busy` naming the processes of this loop that run and may be what it waits for.
 */
export async function claimWorkspace(
  context: BashContext,
  claim: (signal: AbortSignal) => Promise<Permit>,
): Promise<Permit> {
  const { signal, deps } = context
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), deps.settings.workspaceWaitMs)
  try {
    return await claim(AbortSignal.any([signal, limit.signal]))
  } catch (error) {
    if (signal.aborted) throw processError('interrupted', 'Bash was interrupted; the command did not run', error)
    const isBusy = limit.signal.aborted || (isLooprigError(error) && error.code === 'workspace_busy')
    throw isBusy ? processError('workspace_busy', busyText(context), error) : error
  } finally {
    clearTimeout(timer)
  }
}

function busyText({ deps, sessionId, loopId }: BashContext): string {
  const handles = deps.supervisor.runningOf({ sessionId, loopId }).map(({ handle }) => handle)
  const running =
    handles.length === 0 ? '' : ` Processes of yours that run: ${handles.join(', ')}; wait for them or stop them.`
  return `something else is changing the workspace; the command did not run.${running}`
}
