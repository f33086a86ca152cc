import { ToolError } from '../../contract/errors.ts'
import type { ApprovedCommand } from './approved-command.ts'
import { isDetached } from './detached-syntax.ts'
import type { BashParts } from './run-context.ts'

const detached = 'a supervised command must not detach itself: leave out a trailing &, nohup, setsid and disown'

/**
 * Refuses what cannot be supervised here before anybody is asked about it.
 *
 * @throws ToolError `lifetime_enforcement_unavailable`, `pty_unavailable` or `invalid_arguments`.
 */
export function checkSupervised(
  { command, tty }: Pick<ApprovedCommand, 'command' | 'tty'>,
  { runner, settings }: BashParts,
): void {
  if (runner.prepareProcess === undefined) throw refusal('lifetime_enforcement_unavailable')
  if (tty && !settings.tty) throw refusal('pty_unavailable')
  if (isDetached(command)) throw refusal('invalid_arguments', { message: detached })
}

function refusal(code: string, more: object = {}): ToolError {
  return new ToolError(code, JSON.stringify({ error: code, ...more }))
}
