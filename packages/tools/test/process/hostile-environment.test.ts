import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directRunner } from '@looprig/tools/process'
import { describe, expect, it } from 'vitest'
import { environment, openSession, textOfResult } from './support/process-session.ts'

describe('a hostile environment of the host', () => {
  it.each(['/bin/sh', '/bin/bash'])('reaches no command of %s', async (shell) => {
    const session = await openSession({ runner: directRunner({ environment, shell }) })
    const script = join(session.root, 'evil.sh')
    await writeFile(script, 'echo EVIL\n')
    const hostile = {
      BASH_ENV: script,
      ENV: script,
      'BASH_FUNC_echo%%': '() { printf EVIL; }',
      SHELLOPTS: 'xtrace',
      PS4: '$(echo EVIL >&2)',
      IFS: 'x',
      CDPATH: '/etc',
      LD_PRELOAD: '/evil.so',
    }
    const before = Object.fromEntries(Object.keys(hostile).map((name) => [name, process.env[name]]))
    Object.assign(process.env, hostile)

    const result = await session.bash('echo a b')
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }

    expect(textOfResult(result)).toBe('a b\n[exit code: 0]')
  })
})
