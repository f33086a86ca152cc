/** A session whose first turn runs a tool that waits for the test, so that later inputs come while it works. */
import { textOf } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import type { ScriptedResponse } from '@looprig/inference/testing'
import { createDeferred } from '../../src/clock/deferred.ts'
import { calling, delivered, effectTool, openSession, type Setup } from '../session/open-session.ts'

/** What a test sets; `after` is what the model answers once the tool has run. */
export interface SteeredSetup extends Omit<Setup, 'responses' | 'tools'> {
  readonly after?: readonly ScriptedResponse[]
}

/** Opens it; `goOn` lets the tool end, `again` waits until the tool runs for the nth time. */
export async function openSteered({ after = [{ text: 'done' }], ...setup }: SteeredSetup = {}) {
  const runs = [createDeferred<void>(), createDeferred<void>(), createDeferred<void>()]
  const ends = [createDeferred<void>(), createDeferred<void>(), createDeferred<void>()]
  let run = 0
  const work = effectTool('work', async () => {
    const number = run
    run += 1
    runs[number]?.resolve()
    await ends[number]?.promise
  })
  const opened = await openSession({ ...setup, responses: [calling({ name: 'work' }), ...after], tools: [work] })
  const first = opened.session.submit('first')
  await runs[0]?.promise
  return {
    ...opened,
    first,
    goOn: (number = 1) => ends[number - 1]?.resolve(),
    again: async (number: number) => {
      await runs[number - 1]?.promise
      await delivered()
    },
  }
}

/** The texts that people said, as a request shows them. */
export function saidIn(request: InferenceRequest | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap(({ role, blocks }) => (role === 'user' ? [textOf(blocks)] : []))
}

/** The roles of the messages of a request. */
export function rolesIn(request: InferenceRequest | undefined): readonly string[] {
  return (request?.messages ?? []).map(({ role }) => role)
}
