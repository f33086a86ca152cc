import { readdirSync } from 'node:fs'
import type { ProcessLifecycle } from '@looprig/tools'
import {
  bashDefinition,
  processInputDefinition,
  processOutputDefinition,
  processStopDefinition,
  processToolCodes,
} from '@looprig/tools/process'
import { type ConformanceCase, type ConformanceWorld, runToolConformance } from '@looprig/tools/testing'
import { describe, it } from 'vitest'
import { idOf, openSession, type ProcessSession, testRunner } from './support/process-session.ts'

const sentinel = 'SENTINEL-in-process'
const now = () => 1_700_000_000_000
/** A session with one process of its loop, and what its tools could change. */
async function world(command: string, args: (id: string) => ConformanceWorld['args']): Promise<ConformanceWorld> {
  const session = await openSession()
  return worldOf(session, args(idOf(await session.json('Bash', { command, yield_time_ms: 0 }))))
}

async function bashWorld(args: ConformanceWorld['args']): Promise<ConformanceWorld> {
  return { ...worldOf(await openSession(), args), definition: bashDefinition({ resolver: testRunner }, { now }) }
}

function worldOf(session: ProcessSession, args: ConformanceWorld['args']): ConformanceWorld {
  const { sessionId, loopId, root, coordinator, observations, resources } = session
  return {
    args,
    bindings: {
      sessionId,
      loopId,
      workspace: { root, coordinator, observations },
      processes: { resources },
    },
    observe: () => [readdirSync(root), session.services.events.map(({ kind }: ProcessLifecycle) => kind)],
    close: () => session.resources.shutdown(),
  }
}

const bash = (name: string, args: ConformanceWorld['args'], rest: Partial<ConformanceCase> = {}): ConformanceCase => ({
  name,
  open: () => bashWorld(args),
  codes: processToolCodes,
  sentinels: rest.fails === undefined ? [] : [sentinel], // refused before a request names the command
  ...rest,
})

runToolConformance(
  bashDefinition({ resolver: testRunner }, { now }),
  [
    bash('a command', { command: 'touch ran' }),
    bash('a command that fails', { command: 'touch ran; exit 3', workdir: '.' }),
    bash('a command of the background', { command: 'touch ran; sleep 60', background: true }),
    bash('a command that declares access', {
      command: 'touch ran',
      access: {
        network: [{ host: 'Example.com.', port: 443 }, { port: 80 }],
        read: [{ scope: 'path', path: '../x' }, { scope: 'host' }],
        write: [{ scope: 'tree', path: '/var/tmp' }],
      },
    }),
    bash('a folder outside', { command: `echo ${sentinel}`, workdir: '../..' }, { fails: 'outside_workspace' }),
    bash('a folder that there is not', { command: `echo ${sentinel}`, workdir: 'none' }, { fails: 'not_found' }),
    bash('a terminal', { command: `echo ${sentinel}`, background: true, tty: true }, { fails: 'pty_unavailable' }),
    bash('a detached command', { command: `echo ${sentinel} &`, background: true }, { fails: 'invalid_arguments' }),
  ],
  { describe, it },
)

const none = 'AAAAAAAAAAAAAAAAAAAAAA'

runToolConformance(
  processOutputDefinition(),
  [
    {
      name: 'a process that runs',
      open: () => world('echo out; sleep 60', (id) => ({ process_id: id })),
      codes: processToolCodes,
    },
    {
      name: 'several',
      open: () => world('echo out; sleep 60', (id) => ({ process_ids: [id, none] })),
      codes: processToolCodes,
    },
    {
      name: 'no process',
      open: () => world(`echo ${sentinel}; sleep 60`, () => ({ process_id: none })),
      fails: 'not_found',
      codes: processToolCodes,
      sentinels: [sentinel],
    },
    {
      name: 'a cursor too far',
      open: () => world(`echo ${sentinel}; sleep 60`, (id) => ({ process_id: id, cursor: 10_000 })),
      fails: 'cursor_ahead',
      codes: processToolCodes,
      sentinels: [sentinel],
    },
  ],
  { describe, it },
)

runToolConformance(
  processInputDefinition(),
  [
    {
      name: 'a process that reads',
      open: () => world('read line; touch "$line"; cat', (id) => ({ process_id: id, data: 'named\n' })),
      codes: processToolCodes,
      accepts: { data: ['control', 'empty'] },
    },
    {
      name: 'no process',
      open: () => world('cat', () => ({ process_id: none, data: sentinel })),
      fails: 'not_found',
      codes: processToolCodes,
      sentinels: [sentinel],
    },
    {
      name: 'no terminal',
      open: () => world('cat', (id) => ({ process_id: id, data: sentinel, rows: 1, cols: 1 })),
      fails: 'pty_unavailable',
      codes: processToolCodes,
      sentinels: [sentinel],
    },
  ],
  { describe, it },
)

runToolConformance(
  processStopDefinition(),
  [
    {
      name: 'a process that runs',
      open: () => world('sleep 60', (id) => ({ process_id: id, mode: 'kill' })),
      codes: processToolCodes,
    },
    {
      name: 'no process',
      open: () => world('sleep 60', () => ({ process_id: none, mode: 'kill' })),
      fails: 'not_found',
      codes: processToolCodes,
    },
  ],
  { describe, it },
)
