import { spawn } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../bootstrap/set-up.mjs'
import { type Finished, finish, npxCalls, tempClone } from '../temp-clone.ts'
import { tempTree } from '../temp-tree.ts'

/** Runs a command of a fresh clone to its end. */
function run(clone: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const path = [join(clone, 'bin'), process.env.PATH].join(delimiter)
  const child = spawn(process.execPath, [join(clone, 'scripts/decode.cjs'), ...args], {
    cwd: clone,
    env: { ...process.env, ...env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return finish(child)
}

function freshClone(): string {
  const clone = tempClone()
  for (const part of ['decode.cjs', 'wire'])
    cpSync(join(root, 'scripts', part), join(clone, 'scripts', part), { recursive: true })
  return clone
}

describe('npm run decode', () => {
  it('sets a fresh clone up first, says so on stderr alone, and ends with 2 when it was called wrongly', async () => {
    const clone = freshClone()

    const { code, stdout, stderr } = await run(clone, ['--api', 'nobody', 'a.json'])

    expect(npxCalls(clone)).toEqual([expect.stringContaining('install --frozen-lockfile')])
    expect(existsSync(join(clone, 'examples/assistant/dist/main.js'))).toBe(true)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain('looprig: --api "nobody" is not known')
    expect(stderr).toContain('Usage: ')
  })

  it('says how it is used', async () => {
    const { code, stdout } = await run(freshClone(), ['--help'])

    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: pnpm --silent decode -- --api NAME/)
  })

  it('starts from the folder in which npm or pnpm was called', async () => {
    const clone = freshClone()
    const elsewhere = tempTree({ 'a.json': '{}' })
    const built = { 'openai.js': 'export const createChatCodec = () => ({ framing: "sse" })', 'testing.js': testing }
    for (const [name, code] of Object.entries(built)) {
      cpSync(tempTree({ [name]: code }), join(clone, 'packages/inference/dist'), { recursive: true })
    }

    const { code, stdout } = await run(clone, ['--api', 'openai-chat', 'a.json'], {
      npm_lifecycle_event: 'decode',
      INIT_CWD: elsewhere,
    })

    expect({ code, line: JSON.parse(stdout) }).toMatchObject({ code: 0, line: { file: 'a.json', text: '2' } })
  })
})

/** A stand-in for the door, which tells how many bytes it got. */
const testing = `export const decodeRecording = async (codec, { bytes }) => ({
  response: { message: { blocks: [{ type: 'text', text: String(bytes.length) }] }, toolCalls: [] },
  facts: {},
})`
