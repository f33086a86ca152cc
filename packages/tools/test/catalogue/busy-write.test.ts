import { buildTools, type WorkspaceCoordinator } from '@looprig/tools'
import { directRunner } from '@looprig/tools/process'
import { writeFileDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { environment, openSession, textOfResult } from '../process/support/process-session.ts'
import { invokePrepared, newContext } from '../support/call-tool.ts'
import { readGuard } from '../support/read-guard.ts'

describe('a write beside a process of the background that may write anywhere', () => {
  it('says what it waited for when its time is over', async () => {
    const session = await openSession({ runner: directRunner({ environment, graceMs: 300 }) })
    const { sessionId, loopId, root, observations } = session
    const limit = new AbortController()
    const coordinator: WorkspaceCoordinator = {
      acquireLifetime: (access, signal) => session.coordinator.acquireLifetime(access, signal),
      acquire(operation, signal) {
        const permit = session.coordinator.acquire(operation, signal)
        limit.abort()
        return permit
      },
    }
    const definition = writeFileDefinition({ readGuard }, { deadline: () => limit.signal })
    const [tool] = await buildTools(definition, { sessionId, loopId, workspace: { root, coordinator, observations } })
    if (tool === undefined) throw new Error('the definition has no tool')
    await session.start('sleep 60')
    const context = newContext()
    const prepared = await tool.prepareCall(context, JSON.stringify({ path: 'a.txt', content: 'x' }))

    const result = await invokePrepared(tool, context, prepared)

    expect(result).toMatchObject({ code: 'timed_out' })
    expect(textOfResult(result)).toContain('process in the background')
  })
})
