import { execFileSync, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** Whether pipes with names can be made here: Node.js has no call for it. */
export const canMakePipes = spawnSync('mkfifo', ['--version']).status === 0

/** Makes a pipe with a name. */
export function makePipe(path: string): void {
  execFileSync('mkfifo', [path])
}

/** Makes a socket with a name, until the test ends. */
export async function makeSocket(path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  onTestFinished(() => void server.close())
}
