import { listSessions, type SessionSummary } from '@looprig/harness'
import type { SessionsCommand } from './arguments.ts'
import { openStore } from './open-session.ts'
import { hasStore } from './paths.ts'
import { sanitizeLine } from './render/sanitize.ts'
import { type Output, writeTo } from './render/screen.ts'

/** Prints the sessions of a data folder, the last active first. A folder that is not there is left so. */
export async function printSessions(
  outputFormat: SessionsCommand['outputFormat'],
  dataFolder: string,
  workspace: string | undefined,
  stdout: Output,
): Promise<void> {
  const all = (await hasStore(dataFolder)) ? await readSessions(dataFolder) : []
  const listed = workspace === undefined ? all : all.filter((summary) => summary.workspace === workspace)
  await writeTo(stdout, formats[outputFormat](listed))
}

async function readSessions(dataFolder: string): Promise<readonly SessionSummary[]> {
  const store = await openStore(dataFolder)
  try {
    return await listSessions(store)
  } finally {
    await store.close()
  }
}

const formats: Record<SessionsCommand['outputFormat'], (sessions: readonly SessionSummary[]) => string> = {
  text: (sessions) => (sessions.length === 0 ? 'no sessions yet\n' : sessions.map(row).join('')),
  json: (sessions) => `${JSON.stringify(sessions)}\n`,
  'stream-json': (sessions) => sessions.map((summary) => `${JSON.stringify(summary)}\n`).join(''),
}

function row({ id, status, lastActiveAt, title }: SessionSummary): string {
  return `${id}  ${status.padEnd(11)}  ${new Date(lastActiveAt).toISOString()}  ${sanitizeLine(title)}\n`
}
