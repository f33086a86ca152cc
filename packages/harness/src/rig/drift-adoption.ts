import { newId } from '../clock/id-source.ts'
import { JournalError } from '../error/errors.ts'
import type { EnduringBody } from '../event/event.ts'
import { findMode } from '../loop/effective-loop.ts'
import { loopStarted } from '../loop/loop-started.ts'
import type { SessionFold } from '../restore/session-fold.ts'
import { createManifest } from './create-manifest.ts'
import type { ModeInForce } from './drift-assessment.ts'
import { decideDrift } from './drift-decision.ts'
import type { RepairTarget } from './repair-session.ts'
import type { RigParts } from './rig-parts.ts'

/**
 * Compares the rig with the configuration that the session last ran with. Gives the events with which the repair of the
 * session begins: none when nothing differs.
 *
 * @throws RestoreRejectedError when the decider does not take what differs; JournalError, SessionFaultedError.
 */
export async function adoptConfiguration(target: RepairTarget): Promise<readonly EnduringBody[]> {
  const { rig, lease, fold, workspace } = target
  if (fold.manifest === undefined) throw new JournalError('journal_invalid', 1, 'the session has no manifest')
  const adopted = await decideDrift({
    recorded: fold.manifest,
    present: createManifest(rig, workspace),
    modesInForce: modesInForce(fold),
    neededLoop: fold.inputLoop.name,
    decider: rig.onDrift,
    clock: rig.clock,
    timeoutMs: rig.driftTimeoutMs,
    lost: lease.lost,
  })
  return adopted === undefined ? [] : [adopted, ...startedLoops(rig, fold), ...leftModes(rig, fold)]
}

/** Of a loop, and of the turn that it left open, which keeps the mode that it began in. */
function modesInForce(fold: SessionFold): readonly ModeInForce[] {
  return [...fold.loops.values()].flatMap(({ name, choice, turn }) =>
    [choice, turn?.choice].flatMap((chosen) => (chosen === undefined ? [] : [{ loop: name, mode: chosen.mode }])),
  )
}

/** The rig may start loops that the session did not: they begin now. An agent of the same definition is another loop. */
function startedLoops(rig: RigParts, fold: SessionFold): readonly EnduringBody[] {
  const roots = [...fold.loops.values()].filter(({ parent }) => parent === undefined)
  const known = new Set(roots.map(({ name }) => name))
  return rig.primers.filter(({ name }) => !known.has(name)).map((loop) => loopStarted(newId(rig.ids, 'LoopId'), loop))
}

/** A loop whose mode is gone works in the mode in which a new session would begin. */
function leftModes(rig: RigParts, fold: SessionFold): readonly EnduringBody[] {
  return [...fold.loops.values()].flatMap(({ loopId, name, choice }): readonly EnduringBody[] => {
    const definition = rig.loops.find((loop) => loop.name === name)
    if (definition === undefined || findMode(definition, choice.mode) !== undefined) return []
    return [{ type: 'LoopModeChanged', loopId, previous: choice.mode, mode: definition.initialMode }]
  })
}
