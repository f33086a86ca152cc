// Runs where the packed packages are installed: seals through one door and invokes tools of others, also in a session.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseId, textOf, uuidV7 } from '@looprig/core'
import { addNoteDefinition } from '@looprig/example-own-tool-package'
import { defineLoop, defineRig, headlessGate } from '@looprig/harness'
import { scriptedClient } from '@looprig/inference/testing'
import { memoryStore } from '@looprig/store/memory'
import { buildTools, PreparedCall, seal } from '@looprig/tools'
import { createReadGuard, readFileDefinition } from '@looprig/tools/workspace'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'looprig-pack-workspace-')))
try {
  writeFileSync(join(root, 'NOTES.md'), 'eggs\n')
  const readGuard = createReadGuard({ deny: [], maxReadBytes: 10_000 })
  await call(addNoteDefinition(), { line: 'milk' })
  const read = await call(readFileDefinition({ readGuard }), { path: 'NOTES.md' })
  assert.match(textOf(read.content), /eggs\n.*milk/)
  await inSession()
  assert.equal(readFileSync(join(root, 'NOTES.md'), 'utf8'), 'eggs\nmilk\nbread\n')
  process.stdout.write('doors: one seal, one workspace, one session\n')
} finally {
  rmSync(root, { recursive: true, force: true })
}

/** Prepares, seals through the root door and runs. */
async function call(definition, args) {
  const ids = { sessionId: parseId('SessionId', uuidV7()), loopId: parseId('LoopId', uuidV7()) }
  const [tool] = await buildTools(definition, { ...ids, workspace: { root } })
  const executionId = parseId('ToolExecutionId', uuidV7())
  const context = { executionId, toolUseId: 'call', signal: new AbortController().signal }
  const { request, artifact } = await tool.prepareCall(context, JSON.stringify(args))
  const prepared = seal({ executionId, request, artifact })
  assert.ok(prepared instanceof PreparedCall)
  const result = await tool.invoke({ ...context, prepared }, '{"line":"not this","path":"not this"}')
  assert.equal(result.isError, false, textOf(result.content))
  return result
}

/** The harness seals here, and the package of the tool opens. */
async function inSession() {
  const access = [{ kinds: ['filesystem.write'], accessFor: () => 'allow' }]
  const secretary = defineLoop({
    name: 'secretary',
    client: scriptedClient([
      { toolCalls: [{ id: 'call_1', name: 'AddNote', input: { line: 'bread' } }] },
      { text: 'noted' },
    ]),
    model: { provider: 'scripted', name: 'demo' },
    tools: [addNoteDefinition()],
    gate: headlessGate({ access }),
  })
  const rig = defineRig({ loops: [secretary], store: memoryStore(), workspace: { root } })
  const session = await rig.newSession()
  const { status, text } = await session.submit('Note: bread.').result()
  assert.deepEqual([status, text], ['done', 'noted'])
  await session.shutdown()
}
