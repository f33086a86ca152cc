import { isLooprigError, type JsonObject, parseId, uuidV7 } from '@looprig/core'
import type { ShellRunner } from '@looprig/tools'
import { describe, expect, it } from 'vitest'
import { becomes, markedSleep, processesWith } from './support/live-processes.ts'
import { openSession, type ProcessSession, testRunner } from './support/process-session.ts'

const typed = 'SENTINEL-typed'
const secretCommand = 'curl-x -H "authorization: SENTINEL-header" https://h/p?q=SENTINEL-query'

/** Everything that a call tells: the request, the audit line, the result or the refusal. */
async function told(
  session: ProcessSession,
  name: string,
  args: JsonObject,
): Promise<{ all: string; audit: string; error: string }> {
  const tool = session.tools[name]
  const context = {
    executionId: parseId('ToolExecutionId', uuidV7()),
    toolUseId: 'c',
    signal: new AbortController().signal,
  }
  try {
    const prepared = await tool?.prepareCall(context, JSON.stringify(args))
    const audit = tool?.auditSummary(prepared?.artifact ?? null) ?? ''
    const result = await session.call(name, args)
    const text = JSON.stringify(result)
    return { all: text + audit, audit, error: result.isError ? text : '' }
  } catch (error) {
    if (!isLooprigError(error)) throw error
    return { all: `${error.message} ${JSON.stringify(error)}`, audit: '', error: error.message }
  }
}

describe('what the process tools tell', () => {
  it('holds no pid, no folder of the host or of the spool, and nothing of another owner', async () => {
    const session = await openSession()
    const sibling = await openSession({ resources: session.resources, sessionId: session.sessionId })
    const sleep = markedSleep()
    const id = await session.start('echo SENTINEL-output; sleep 60')
    const foreign = await sibling.start(`echo SENTINEL-foreign; sleep ${sleep}`)
    await sibling.json('ProcessOutput', { process_id: foreign, wait: 'any' })
    const running = () => processesWith(`sleep\0${sleep}`)
    expect(await becomes(() => running().length === 1)).toBe(true)
    const pids = running()
    const calls: [string, JsonObject][] = [
      ['Bash', { command: 'true' }],
      ['Bash', { command: 'exit 9', workdir: 'none' }],
      ['Bash', { command: 'sleep 9', timeout: 1 }],
      ['Bash', { command: 'true', workdir: '../../..' }],
      ['Bash', { command: 'sleep 60', background: true }],
      ['Bash', { command: 'sleep 60', background: true, tty: true }],
      ['Bash', { command: 'true', yield_time_ms: 5_000 }],
      ['ProcessOutput', { process_id: id }],
      ['ProcessOutput', { process_ids: [id, foreign] }],
      ['ProcessOutput', { process_id: id, cursor: 9_999 }],
      ['ProcessInput', { process_id: foreign, data: typed }],
      ['ProcessInput', { process_id: id, data: typed }],
      ['ProcessStop', { process_id: foreign, mode: 'kill' }],
      ['ProcessStop', { process_id: id, mode: 'kill' }],
    ]
    const texts: string[] = []
    for (const [name, args] of calls) texts.push((await told(session, name, args)).all)
    texts.push(JSON.stringify(session.services.events), JSON.stringify(session.services.notices))
    const all = texts.join('\n')

    expect(all).not.toContain(session.folder)
    expect(all).not.toContain(session.root)
    expect(all).not.toContain('SENTINEL-foreign')
    expect(all).not.toContain(typed)
    expect(all).not.toContain('looprig-processes')
    const numbers = new Set(all.match(/\b\d{2,7}\b/g))
    expect(pids.filter((pid) => numbers.has(String(pid)) && all.includes(`:${pid}`))).toEqual([])
    expect(running()).toEqual(pids) // it was not ended
  })

  it('holds no secret of a command in an audit line or an error', async () => {
    const broken: ShellRunner = { ...testRunner(), runCommand: () => Promise.reject(new Error(secretCommand)) }
    for (const runner of [testRunner(), broken]) {
      const session = await openSession({ runner })
      for (const args of [
        {},
        { background: true },
        { workdir: 'none' },
        { tty: true },
        { background: true, tty: true },
      ]) {
        const { audit, error } = await told(session, 'Bash', { command: secretCommand, ...args })

        if (!error.includes('not found')) expect(audit + error).not.toContain('SENTINEL')
      }
    }
  })

  it('names in an audit line the program where it is a plain word, and nothing else', async () => {
    const session = await openSession()
    const { tools } = session
    const audits = await Promise.all(
      ['git push origin', 'TOKEN=SENTINEL cmd', '"$(cat SENTINEL)"', './x/SENTINEL y', 'ls'].map(async (command) => {
        const context = {
          executionId: parseId('ToolExecutionId', uuidV7()),
          toolUseId: 'c',
          signal: new AbortController().signal,
        }
        const prepared = await tools.Bash?.prepareCall(context, JSON.stringify({ command }))
        return tools.Bash?.auditSummary(prepared?.artifact ?? null)
      }),
    )

    expect(audits).toEqual(['Bash git', 'Bash (command)', 'Bash (command)', 'Bash (command)', 'Bash ls'])
  })

  it('shows who decides the whole of a command that does not fit into one line', async () => {
    const session = await openSession()
    const command = `echo ${'x'.repeat(400)}\nrm -rf hidden`
    const context = {
      executionId: parseId('ToolExecutionId', uuidV7()),
      toolUseId: 'c',
      signal: new AbortController().signal,
    }

    const prepared = await session.tools.Bash?.prepareCall(context, JSON.stringify({ command }))

    expect(prepared?.request.command).toBe(command)
    expect(prepared?.preview).toEqual({ kind: 'text', text: command })
    expect(prepared?.request.summary).not.toContain('\n')
  })

  it.each(['\u202e', '\u200b', '\u2066', '\ufeff'])(
    'hides from who decides no character that misleads (%j)',
    async (odd) => {
      const session = await openSession()
      const command = `echo a${odd}b`
      const context = {
        executionId: parseId('ToolExecutionId', uuidV7()),
        toolUseId: 'c',
        signal: new AbortController().signal,
      }

      const prepared = await session.tools.Bash?.prepareCall(context, JSON.stringify({ command }))

      expect(prepared?.request.requirements[0]?.description).toBe('execute echo a\ufffdb')
      expect(prepared?.request).toMatchObject({ command, summary: 'run echo a\ufffdb' })
    },
  )
})
