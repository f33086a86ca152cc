import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loopOver, writeLoop } from '../../support/write-loop.ts'

describe('writers that meet', () => {
  it('lose no edit of three sessions of one process: who comes late is told, reads again and retries', async () => {
    const slots = Array.from({ length: 30 }, (_, index) => index)
    const first = await writeLoop({ 'a.txt': slots.map((slot) => `slot ${slot}.\n`).join('') })
    const loops = [first, await loopOver({ root: first.root }), await loopOver({ root: first.root })]

    await Promise.all(
      loops.map(async (loop, session) => {
        for (const slot of slots.filter((each) => each % loops.length === session)) {
          const args = { path: 'a.txt', old: `slot ${slot}.`, new: `done ${slot}.` }
          let result = await loop.call('EditFile', args)
          while (result.isError) {
            expect(result.code).toBe('stale_file')
            await loop.call('ReadFile', { path: 'a.txt' })
            result = await loop.call('EditFile', args)
          }
        }
      }),
    )

    expect(await first.text('a.txt')).toBe(slots.map((slot) => `done ${slot}.\n`).join(''))
  })

  it('refuse when another program replaces the file while the new content is staged', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n', 'theirs.txt': 'theirs\n' })
    await loop.call('ReadFile', { path: 'a.txt' })
    const { run } = await loop.prepare('WriteFile', { path: 'a.txt', content: 'x'.repeat(4_000_000) })

    const running = run()
    let isOver = false
    void running.then(() => {
      isOver = true
    })
    // the staged file shows that the old one was looked at
    while (!isOver && !loop.names().some((name) => name.startsWith('.looprig-write-'))) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    const isStaged = !isOver
    await rename(join(loop.root, 'theirs.txt'), join(loop.root, 'a.txt'))
    const result = await running

    if (!isStaged) return
    expect(result).toMatchObject({ isError: true, code: 'stale_file' })
    expect(await loop.text('a.txt')).toBe('theirs\n')
    expect(loop.names()).toEqual(['a.txt'])
  })

  it('keep apart from a process that writes the whole workspace', async () => {
    const loop = await writeLoop({ 'a.txt': 'old\n' })
    const permit = await loop.workspace.coordinator?.acquire({ kind: 'whole' }, new AbortController().signal)
    const { run } = await loop.prepare('WriteFile', { path: 'b.txt', content: 'x' })
    const running = run()
    await writeFile(join(loop.root, 'marker'), '')

    expect(loop.names()).toEqual(['a.txt', 'marker'])
    permit?.release()

    expect(await running).toMatchObject({ isError: false })
  })

  it('end as interrupted while they wait for their turn, with nothing written', async () => {
    const loop = await writeLoop()
    const permit = await loop.workspace.coordinator?.acquire({ kind: 'whole' }, new AbortController().signal)
    const { run } = await loop.prepare('WriteFile', { path: 'b.txt', content: 'x' })
    const end = new AbortController()
    const running = run(end.signal)
    end.abort()

    expect(await running).toMatchObject({ isError: true, code: 'interrupted' })
    permit?.release()
    expect(loop.names()).toEqual([])
  })

  it('write 100 files side by side', async () => {
    const loop = await writeLoop()
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        loop.call('WriteFile', { path: `d${index % 7}/${index}`, content: `${index}` }),
      ),
    )

    expect(results.every(({ isError }) => !isError)).toBe(true)
    expect(await loop.text('d1/99')).toBe('99')
  })
})

describe('what the tools are built with', () => {
  it.each(['writeFileDefinition', 'editFileDefinition'] as const)(
    '%s does not build without a read guard',
    async (name) => {
      const doors = await import('@looprig/tools/workspace')
      const { buildTools } = await import('@looprig/tools')
      const definition = doors[name](undefined as never) // a caller without types

      await expect(
        buildTools(definition, { sessionId: 's' as never, loopId: 'l' as never, workspace: { root: '/' } }),
      ).rejects.toMatchObject({ code: 'missing_dependency', dependency: 'read_guard' })
    },
  )
})
