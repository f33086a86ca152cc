import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The folder of zod as it is installed: sources below `src`, and what is built from them beside it. */
export function zodFolder(): string {
  return realpathSync(dirname(require.resolve('zod/package.json')))
}

/** The folder of picomatch, which the workspace tools depend on: JavaScript without a build. */
export function picomatchFolder(): string {
  const tools = createRequire(require.resolve('@looprig/tools/workspace'))
  return realpathSync(dirname(tools.resolve('picomatch/package.json')))
}

/** The folder of git's own programs, some of them shell scripts without an extension. */
export function gitFolder(): string {
  return realpathSync(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim())
}

/** The folder of Python's asyncio, or nothing where there is no Python. */
export function asyncioFolder(): string | undefined {
  try {
    const script = 'import asyncio, os; print(os.path.dirname(asyncio.__file__))'
    return realpathSync(execFileSync('python3', ['-c', script], { encoding: 'utf8' }).trim())
  } catch {
    return undefined
  }
}

/** `path:line` of the first line of a file that begins with a text: what differs between versions is looked up. */
export function place(folder: string, path: string, start: string): string {
  const lines = readFileSync(join(folder, path), 'utf8').split('\n')
  const index = lines.findIndex((line) => line.startsWith(start))
  if (index === -1) throw new Error(`${path} has no line that begins with ${start}`)
  return `${path}:${index + 1}`
}
