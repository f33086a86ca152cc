import { memoryStore } from '@looprig/store/memory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineLoop, defineRig } from '../../src/index.ts'
import { delivered, model, streamingClient, textEvents } from '../session/open-session.ts'

const named = (name: string) => ({ provider: 'scripted', name })
const modes = [
  { name: 'plan', instructions: 'Plan.' },
  { name: 'fast', model: named('fast') },
]

type Action = 'turn' | 'restore' | 'pause' | `mode:${'' | 'plan' | 'fast'}` | `model:${'a' | 'b'}`

const action = fc.constantFrom<Action>(
  ...(['turn', 'turn', 'restore', 'pause', 'mode:', 'mode:plan', 'mode:fast', 'model:a', 'model:b'] as const),
)

/** What the choices so far come to, judged apart from the code under test. */
function expected(choices: readonly string[]): { readonly mode: string; readonly model: string } {
  const begun = choices.findLastIndex((choice) => choice.startsWith('mode:'))
  const chosen = choices.findLastIndex((choice) => choice.startsWith('model:'))
  const mode = choices[begun]?.slice('mode:'.length) ?? ''
  const isOverruled = mode === 'fast' && chosen < begun
  return { mode, model: isOverruled ? 'fast' : (choices[chosen]?.slice('model:'.length) ?? 'm') }
}

describe('modes and models in any order', () => {
  it('are what was chosen last, live and restored, and in force from the next turn on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 25 }), async (actions) => {
        const asked: string[] = []
        const client = streamingClient(async function* (_n, _signal, request) {
          asked.push(`${request.system ?? ''}${request.model.name}`)
          await delivered()
          yield* textEvents('so')
          yield { type: 'finish', reason: 'stop' }
        })
        const loop = defineLoop({ name: 'main', client, model, modes, initialMode: '' })
        const rig = defineRig({ loops: [loop], store: memoryStore() })
        let session = await rig.newSession()
        const choices: string[] = []
        const turns: string[] = []

        for (const each of actions) {
          if (each === 'turn') {
            await session.waitIdle()
            const { mode, model: name } = expected(choices)
            turns.push(`${mode === 'plan' ? 'Plan.' : ''}${name}`)
            await session.submit('Go', { noFold: true }).accepted
          } else if (each === 'pause') await delivered()
          else if (each === 'restore') {
            await session.waitIdle()
            await session.shutdown()
            session = await rig.restoreSession(session.id)
          } else {
            choices.push(each)
            const [what, name = ''] = each.split(':')
            await (what === 'mode' ? session.setMode(name) : session.setModel(named(name)))
          }
          expect({ mode: session.mode, model: session.model.name }).toEqual(expected(choices))
        }
        await session.waitIdle()
        expect(asked).toEqual(turns)
        await session.shutdown()
      }),
      { numRuns: 150 },
    )
  })
})
