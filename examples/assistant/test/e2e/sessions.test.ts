import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrangePlace, type Ended } from './program-process.ts'

function idOf({ stderr }: Ended): string {
  return /session ([0-9a-f-]{36})/.exec(stderr)?.[1] ?? 'none'
}

describe('resuming', () => {
  it('goes on with the same session by id and with --continue, from its own workspace', async () => {
    const { start, scripted, home } = arrangePlace()
    const args = scripted({ text: 'one' })
    const first = await start([...args, 'First?']).ended
    const id = idOf(first)
    mkdirSync(join(home, 'elsewhere'))

    // no --workspace: the session's own is taken, although the person stands elsewhere
    const second = await start(['--script', '../script.json', '--resume', id, 'Second?'], {
      INIT_CWD: join(home, 'elsewhere'),
    }).ended
    const third = await start([...args, '--continue', '--output-format', 'json', 'Third?']).ended

    expect(second).toMatchObject({ code: 0, stdout: 'one\n' })
    expect(second.stderr).toContain('going on with: First? (idle)')
    expect(JSON.parse(third.stdout)).toMatchObject({ sessionId: id, status: 'done' })
  })

  it('takes another model, and refuses another workspace with what differs', async () => {
    const { start, scripted, home } = arrangePlace()
    const id = idOf(await start([...scripted({ text: 'one' }), 'First?']).ended)
    mkdirSync(join(home, 'other'))

    const model = await start(['--resume', id, '--print', 'Which files are there?']).ended
    const workspace = await start(['--script', 'script.json', '--workspace', 'other', '--resume', id, 'Second?']).ended

    expect(model.code).toBe(0)
    expect(workspace.code).toBe(2)
    expect(workspace.stderr).toMatch(/^warn {2}workspace +\S+\/ws +\S+\/other$/m)
  })

  it('refuses a session that another process holds, and that one goes on', async () => {
    const { start, scripted } = arrangePlace()
    const holder = start(scripted({ text: 'held' }, { text: 'second' }))
    holder.child.stdin.write('First?\n')
    await holder.seen('stdout', /held/)
    const list = await start(['sessions', '--output-format', 'json']).ended
    const [{ id, status }] = JSON.parse(list.stdout)

    const refused = await start([...scripted({ text: 'x' }), '--resume', id, 'Second?']).ended
    holder.child.stdin.end('Second?\n')

    expect(status).toBe('running')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(`session ${id} is open in another process`)
    expect(await holder.ended).toMatchObject({ code: 0, stdout: 'held\nsecond\n' })
  })

  it('refuses a session that is not there, and --continue where there is none', async () => {
    const { start, scripted, home, dataFolder } = arrangePlace()
    const unknown = '01a22934-94a3-7911-bcb8-d367365340ea'

    const before = await start([...scripted({}), '--resume', unknown, 'What?']).ended
    expect(existsSync(dataFolder)).toBe(false)
    await start([...scripted({ text: 'one' }), 'First?']).ended
    const after = await start([...scripted({}), '--resume', unknown, 'What?']).ended
    mkdirSync(join(home, 'other'))
    const latest = await start(['--workspace', 'other', '--continue', 'What?']).ended

    for (const { code, stderr } of [before, after]) {
      expect(code).toBe(2)
      expect(stderr).toContain(`there is no session ${unknown}`)
    }
    expect(latest.code).toBe(2)
    expect(latest.stderr).toContain('there is no session of this workspace yet')
  })
})

describe('sessions', () => {
  it('says that there are none and makes nothing', async () => {
    const { start, dataFolder } = arrangePlace()

    const text = await start(['sessions']).ended
    const json = await start(['sessions', '--output-format', 'json']).ended

    expect(text).toMatchObject({ code: 0, stdout: 'no sessions yet\n' })
    expect(json).toMatchObject({ code: 0, stdout: '[]\n' })
    expect(existsSync(dataFolder)).toBe(false)
  })

  it('lists the last active first, with id, status, time and title', async () => {
    const { start, scripted } = arrangePlace()
    const failed = idOf(await start([...scripted({ error: { code: 'auth' } }), 'Does it fail?']).ended)
    const done = idOf(await start([...scripted({ text: 'ok' }), 'Is it done?']).ended)

    const { stdout } = await start(['sessions']).ended

    const time = '\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z'
    expect(stdout).toMatch(
      new RegExp(
        `^${done}  idle         ${time}  Is it done\\?\\n${failed}  failed       ${time}  Does it fail\\?\\n$`,
      ),
    )
  })
})
