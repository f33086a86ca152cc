import { defineTool, textResult } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, openSession } from './open-session.ts'

type Opened = Awaited<ReturnType<typeof openSession>>

/** Tries to change everything that can be reached from a value; tells whether it could. */
function vandalize(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value) || value instanceof AbortSignal) return false
  seen.add(value)
  let changed = Reflect.set(value, 'forged', 'sentinel')
  for (const key of Reflect.ownKeys(value)) {
    changed = vandalize(Reflect.get(value, key), seen) || changed
    changed = Reflect.set(value, key, key === 'length' ? 0 : 'sentinel') || changed
    changed = Reflect.deleteProperty(value, key) || changed
  }
  return changed
}

const responses = [
  { thinking: 'hm', text: 'I look', toolCalls: [{ id: 'c1', name: 'look', input: { at: ['a', 'b'] } }] },
  { text: 'seen' },
  { text: 'again' },
]

/** A session of two turns. `meddle` is called between them, `onInput` with what the tool's functions were given. */
async function twoTurns(meddle: (opened: Opened) => void, onInput: (value: unknown) => void = () => undefined) {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    inputSchema: z.strictObject({ at: z.array(z.string()) }),
    prepare: ({ at }) => ({ summary: 'look', artifact: { at: [...at] }, requirements: [] }),
    run: (artifact) => {
      const result = textResult(`saw ${artifact.at.join()}`)
      onInput(artifact)
      return result
    },
  })
  const opened = await openSession({ responses, tools: [look] })
  await opened.session.submit('first').result()
  await opened.recording.waitFor('SessionIdle')
  meddle(opened)
  await opened.session.submit('second').result()
  return JSON.stringify(opened.requests)
}

describe('what a consumer is given', () => {
  it.each<[string, (opened: Opened) => readonly unknown[]]>([
    ['deliveries', ({ recording }) => recording.deliveries],
    ['history', ({ session }) => [session.history()]],
    [
      'requests of the client',
      ({ requests }) => requests.flatMap(({ messages, tools, model }) => [messages, tools, model]),
    ],
  ])('cannot be changed: %s', async (_name, reach) => {
    const untouched = await twoTurns(() => undefined)
    let changed: boolean | undefined

    const requests = await twoTurns((opened) => {
      changed = reach(opened).some((value) => vandalize(value))
    })

    expect(changed).toBe(false)
    expect(requests).toBe(untouched)
  })

  it('cannot be changed: the artifact that a tool runs on', async () => {
    const untouched = await twoTurns(() => undefined)
    let changed: boolean | undefined

    const requests = await twoTurns(
      () => undefined,
      (artifact) => (changed = vandalize(artifact)),
    )

    expect(changed).toBe(false)
    expect(requests).toBe(untouched)
  })

  it('cannot be changed: the result of a turn', async () => {
    const { session } = await openSession({ responses })
    const submission = session.submit('Hi')
    const result = await submission.result()
    const before = JSON.stringify(result)

    const changed = vandalize(result)

    expect(changed).toBe(false)
    expect(JSON.stringify(await submission.result())).toBe(before)
  })

  it('shares nothing with what a tool returned and changes later', async () => {
    let returned: { content: { text: string }[] } | undefined
    const sly = defineTool({
      name: 'sly',
      description: 'Changes its mind.',
      pure: true,
      inputSchema: z.strictObject({}),
      run: () => {
        const result = { content: [{ type: 'text' as const, text: 'first' }], isError: false }
        returned = result
        return result
      },
    })
    const { session, requests } = await openSession({
      responses: [calling({ name: 'sly' }), { text: 'ok' }, { text: 'ok' }],
      tools: [sly],
    })
    await session.submit('1').result()

    if (returned?.content[0] !== undefined) returned.content[0].text = 'forged'
    await session.submit('2').result()

    expect(JSON.stringify(requests)).not.toContain('forged')
  })
})
