import type { LoopId } from '@looprig/core'
import { newId } from '../clock/id-source.ts'
import type { HookRunner } from '../hook/hook-runner.ts'
import type { ActiveTurn } from './active-turn.ts'
import type { LoopHost } from './loop-host.ts'
import type { TurnHost } from './turn-host.ts'

/** What a turn needs of its loop beside its session. */
export interface TurnHostParts extends Pick<TurnHost, 'history' | 'commitStep' | 'atBoundary' | 'recover'> {
  readonly loopId: LoopId
  readonly host: LoopHost
  readonly hooks: HookRunner
}

/** Makes what a turn sees of its loop and session. */
export function loopTurnHost(turn: ActiveTurn, parts: TurnHostParts): TurnHost {
  const { loopId, host, hooks, history, commitStep, atBoundary, recover } = parts
  const { log, gates, clock, ids } = host
  const { turnId, turnIndex } = turn
  const { loop, tools, toolSpecs } = turn.config
  const { signal } = turn.stop
  // written out: what is spread has another hidden class each time, and all code of a turn would be compiled again for each
  return {
    loop,
    turnId,
    turnIndex,
    tools,
    toolSpecs,
    gates,
    clock,
    ids,
    hooks,
    signal,
    history,
    commitStep,
    atBoundary,
    recover,
    newStep: () => ({ loopId, turnId, stepId: newId(ids, 'StepId') }),
    commit: (decide) => log.commit(decide),
    agents: {
      enter: (step) => {
        if (turn.step !== undefined) host.agents.leave(turn.step)
        turn.step = step
      },
      changed: () => host.changed(),
      finish: (step) => host.agents.finish(step, signal, loop.limits.resultBytes),
    },
    emit: (event) => host.emit(event),
    worksBeside: () => {
      // who waits for this turn then waits too
      const was = turn.waiting
      turn.waiting = true
      const works = host.works()
      turn.waiting = was
      return works
    },
    setWaiting: (waiting) => {
      turn.waiting = waiting
      host.changed()
    },
    setSaving: (saving) => {
      turn.isSaving = saving
      host.changed()
    },
  }
}
