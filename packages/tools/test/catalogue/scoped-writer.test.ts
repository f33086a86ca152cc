/** File tools beside a process of the background that may write a part of the workspace. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkspaceAccess } from '@looprig/tools'
import { buildTools } from '@looprig/tools'
import { directRunner } from '@looprig/tools/process'
import { writeFileDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { environment, openSession, tempFolder, textOfResult } from '../process/support/process-session.ts'
import { invokePrepared, newContext } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'

/** A process runs that may write what `accessIn` says of the workspace; `write` writes a file beside it. */
async function besides(accessIn: (root: string) => WorkspaceAccess) {
  const root = await tempFolder()
  const runner = directRunner({ environment, graceMs: 300, backgroundAccess: accessIn(root) })
  const session = await openSession({ root, runner })
  const { sessionId, loopId, coordinator, observations } = session
  const workspace = { root, coordinator, observations }
  const [tool] = await buildTools(writeFileDefinition({ readGuard }), { sessionId, loopId, workspace })
  if (tool === undefined) throw new Error('the definition has no tool')
  const write = async (path: string, signal?: AbortSignal) => {
    const context = newContext(signal)
    const prepared = await tool.prepareCall(context, JSON.stringify({ path, content: 'x' }))
    return invokePrepared(tool, context, prepared)
  }
  const processId = await session.start('sleep 60')
  return { ...session, write, processId }
}

describe('a process of the background that may write one file and one folder', () => {
  it('holds up a write of them and a checkpoint until it ends, and no other write', async () => {
    const { coordinator, write, processId, json } = await besides((root) => ({
      kind: 'scoped_write',
      paths: [join(root, 'a.txt')],
      trees: [join(root, 'dist')],
    }))
    const ended: string[] = []
    const noted = <T>(name: string, work: Promise<T>) =>
      work.then((value) => {
        ended.push(name)
        return value
      })
    const held = [noted('a.txt', write('a.txt')), noted('dist/b.txt', write('dist/b.txt'))]
    const free = await write('other.txt')
    const acquiring = coordinator.acquire({ kind: 'checkpoint' }, new AbortController().signal)
    const checkpoint = noted(
      'checkpoint',
      acquiring.then((permit) => permit.release()),
    )
    await new Promise((resolve) => setImmediate(resolve))
    const before = [...ended]
    await json('ProcessStop', { process_id: processId, mode: 'kill' })
    const results = await Promise.all(held)
    await checkpoint

    expect(textOfResult(free)).toBe('wrote other.txt (1 bytes)')
    expect(before).toEqual([])
    expect(results.map(textOfResult)).toEqual(['wrote a.txt (1 bytes)', 'wrote dist/b.txt (1 bytes)'])
  })
})

describe('a write that waits for a process of the background', () => {
  it('ends when its call does, with nothing written', async () => {
    const { write, root } = await besides(() => ({ kind: 'broad_write' }))
    const controller = new AbortController()

    const writing = write('new.txt', controller.signal)
    controller.abort()

    expect(await writing).toMatchObject({ isError: true, code: 'interrupted' })
    expect(await readdir(root)).toEqual([])
  })
})
