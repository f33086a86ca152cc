import type { Message } from '@looprig/core'
import { describe, expect, it } from 'vitest'
import { readTurns } from '../../src/guide/history.ts'
import { openSession } from './session.ts'
import { temporaryWorkspace } from './temporary-workspace.ts'

function call(id: string, name: string): Message {
  return { role: 'assistant', blocks: [{ type: 'tool_use', id, name, input: {} }] }
}

function result(toolUseId: string, text: string): Message {
  return { role: 'tool', toolUseId, isError: false, blocks: [{ type: 'text', text }] }
}

describe('readTurns', () => {
  it('pairs a result with the response right before it, where two responses use one id', () => {
    const messages: Message[] = [
      { role: 'user', blocks: [{ type: 'text', text: 'q' }] },
      call('1', 'Glob'),
      result('1', 'first'),
      call('1', 'Grep'),
      result('1', 'second'),
    ]

    const steps = readTurns(messages)[0]?.steps.flat()

    expect(steps?.map(({ name, result: found }) => `${name} ${found?.text}`)).toEqual(['Glob first', 'Grep second'])
  })

  it('begins a turn with each user message and ignores what stands before the first', () => {
    const messages: Message[] = [
      { role: 'assistant', blocks: [{ type: 'text', text: 'stray' }] },
      { role: 'user', blocks: [{ type: 'text', text: 'one' }] },
      { role: 'user', blocks: [{ type: 'text', text: 'two' }] },
    ]

    expect(readTurns(messages).map(({ question }) => question)).toEqual(['one', 'two'])
  })
})

describe('offlineGuide after a resume', () => {
  const files = { 'lib/a.py': 'def foo_bar():\n    return 1\n', 'README.md': '# Thing\n\nIt does a thing.\n' }

  it('tells earlier questions from the transcript alone', async () => {
    const before = await openSession(await temporaryWorkspace(files))
    await before.ask('where is foo_bar defined?')
    await before.ask('what does this project do?')
    const stored: Message[] = JSON.parse(JSON.stringify(before.messages))
    const after = await openSession(await temporaryWorkspace({}), { messages: stored })

    const { text, steps } = await after.ask('what did I ask?')

    expect(steps).toEqual([])
    expect(text).toMatch(/1\. where is foo_bar defined\?\n {4}2\. what does this project do\?/)
  })

  it('tells what was looked at', async () => {
    const session = await openSession(await temporaryWorkspace(files))
    await session.ask('show the readme')
    await session.ask('where is foo_bar defined?')

    const { text } = await session.ask('what did we look at?')

    expect(text).toMatch(/1\. show the readme\n.*read README\.md/)
    expect(text).toMatch(/2\. where is foo_bar defined\?\n.*searched, with matches in lib\/a\.py/)
  })

  it('finishes a turn that was cut off after a step', async () => {
    const root = await temporaryWorkspace(files)
    const whole = await openSession(root)
    const expected = await whole.ask('where is foo_bar defined?')
    const cut = whole.messages.slice(1, 3)
    const session = await openSession(root)

    const resumed = await session.ask('where is foo_bar defined?', cut)

    expect(resumed.text).toBe(expected.text)
    expect(resumed.steps).toHaveLength(expected.steps.length - 1)
  })
})
