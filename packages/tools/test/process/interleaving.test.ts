import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { becomes, markedSleep, processesWith } from './support/live-processes.ts'
import { openSession, type ProcessSession } from './support/process-session.ts'

/** What a model could do, in any order and at once. */
type Step =
  | { readonly kind: 'start'; readonly command: 'short' | 'long' | 'loud' | 'stubborn'; readonly isWaited: boolean }
  | { readonly kind: 'stop'; readonly of: number; readonly mode: 'interrupt' | 'terminate' | 'kill' }
  | { readonly kind: 'read'; readonly of: number; readonly wait: 'poll' | 'any' | 'all'; readonly isAborted: boolean }
  | { readonly kind: 'write'; readonly of: number; readonly eof: boolean }

const index = fc.nat(5)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('start' as const),
    command: fc.constantFrom('short', 'long', 'loud', 'stubborn'),
    isWaited: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('stop' as const), of: index, mode: fc.constantFrom('interrupt', 'terminate', 'kill') }),
  fc.record({
    kind: fc.constant('read' as const),
    of: index,
    wait: fc.constantFrom('poll', 'any', 'all'),
    isAborted: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('write' as const), of: index, eof: fc.boolean() }),
)

async function take(session: ProcessSession, ids: string[], one: Step, sleep: string): Promise<void> {
  const of = one.kind === 'start' ? undefined : ids[one.of]
  if (one.kind === 'start') {
    const commands = {
      short: 'echo short',
      long: `sleep ${sleep}`,
      loud: 'yes | head -c 300000',
      stubborn: `trap "" TERM INT; sleep ${sleep}; sleep ${sleep}`,
    }
    const how = one.isWaited ? { yield_time_ms: 30 } : { background: true }
    const json = await session.json('Bash', { command: commands[one.command], ...how })
    if (typeof json.process_id === 'string') ids.push(json.process_id)
  } else if (of === undefined) return
  else if (one.kind === 'stop') {
    await session.call('ProcessStop', { process_id: of, mode: one.mode, grace_ms: 50 })
  } else if (one.kind === 'write') {
    await session.call('ProcessInput', { process_id: of, data: 'x\n', eof: one.eof })
  } else {
    const signal = AbortSignal.timeout(one.isAborted ? 5 : 5_000)
    await session.call('ProcessOutput', { process_id: of, wait: one.wait, timeout_ms: 60 }, { signal })
  }
}

describe('any order of calls', () => {
  it('ends every process once, tells of each once, and leaves nothing held or running', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const session = await openSession({
          bash: { processes: { graceMs: 50, maxRunningPerLoop: 6, maxRetained: 50 } },
        })
        const [ids, sleep]: [string[], string] = [[], markedSleep()]
        const running: Promise<void>[] = []
        for (const [at, one] of steps.entries()) {
          const taken = take(session, ids, one, sleep)
          running.push(taken)
          if (at % 3 === 0) await taken
        }
        await Promise.all(running)
        await session.resources.shutdown()

        const { events, notices } = session.services
        const begun = events.filter(({ kind }) => kind === 'started' || kind === 'backgrounded')
        const ended = events.filter(({ kind }) => kind === 'completed')
        expect(ended.map(({ processId }) => processId).sort()).toEqual(begun.map(({ processId }) => processId).sort())
        expect(new Set(notices.map(({ text }) => text)).size).toBe(notices.length)
        for (const { processId } of begun) {
          const own = events.filter((event) => event.processId === processId).map(({ kind }) => kind)
          expect(own[0]).toMatch(/^(?:started|backgrounded)$/)
          expect(own.at(-1)).toBe('completed')
        }
        expect(await becomes(() => processesWith(sleep).length === 0)).toBe(true)
        const permit = await session.coordinator.acquire({ kind: 'whole' }, AbortSignal.timeout(1_000))
        permit.release()
      }),
      { numRuns: 12 },
    )
  }, 120_000)
})
