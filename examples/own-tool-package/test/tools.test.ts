import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AvailableBindings, buildTools, type CallContext, seal, type ToolDefinition } from '@looprig/tools'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addNoteDefinition, wordCountDefinition } from '../src/index.ts'

// proved for both: an id is a text; a runtime makes them
const ids = { sessionId: 'session', loopId: 'loop' } as unknown as Pick<AvailableBindings, 'sessionId' | 'loopId'>
const call = {
  executionId: 'call',
  toolUseId: 'call_1',
  signal: new AbortController().signal,
} as unknown as CallContext

async function run(definition: ToolDefinition, args: object, root = '/') {
  const [tool] = await buildTools(definition, { ...ids, workspace: { root } })
  if (tool === undefined) throw new Error('the definition has one tool')
  const argsJson = JSON.stringify(args)
  const { request, artifact } = await tool.prepareCall(call, argsJson)
  return tool.invoke({ ...call, prepared: seal({ executionId: call.executionId, request, artifact }) }, argsJson)
}

describe('WordCount', () => {
  it('counts what white space stands around', async () => {
    expect(await run(wordCountDefinition(), { text: ' one\ttwo\n three ' })).toMatchObject({
      isError: false,
      content: [{ text: '3' }],
    })
  })
})

describe('AddNote', () => {
  it('appends its lines in the order of the calls, each whole', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'own-tool-package-')))
    onTestFinished(() => rm(root, { recursive: true, force: true }))

    await run(addNoteDefinition(), { line: ' first ' }, root)
    await run(addNoteDefinition(), { line: 'second' }, root)

    expect(await readFile(join(root, 'NOTES.md'), 'utf8')).toBe('first\nsecond\n')
  })
})
