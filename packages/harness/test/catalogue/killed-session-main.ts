/**
 * `node <script> <folder> background|write`: opens a session of the whole catalogue and kills itself: while a process of it
 * runs in the background, or while it waits for a person's word on a write. Prints the ids of the session and the process.
 */
import { join } from 'node:path'
import { sqliteStore } from '@looprig/store/sqlite'
import { catalogueRig, type Says, shownProcess } from './catalogue-rig.ts'

const [folder = '', what = '', sleep = ''] = process.argv.slice(2)

const call = (name: string, input: object): Says => ({ toolCalls: [{ id: 'c', name, input: { ...input } }] })
let processId = ''
const says: readonly Says[] =
  what === 'background'
    ? [
        call('Bash', { command: `echo printed; sleep ${sleep}`, background: true }),
        (request) => {
          processId = shownProcess(request)
          // until it has printed, so that there is something to lose
          return call('ProcessOutput', { process_id: processId, wait: 'any' }) as never
        },
        { text: 'It runs.' },
      ]
    : [call('WriteFile', { path: 'a.txt', content: 'new\n' }), { text: 'ok' }]

const store = sqliteStore({ path: join(folder, 'sessions.db') })
const { rig } = await catalogueRig({ store, folder, says, allowed: ['command.execute'] })
const session = await rig.newSession()
session.submit('Go')
await session.waitIdle({ orWaiting: true })
process.stdout.write(JSON.stringify({ session: session.id, processId }), () => process.kill(process.pid, 'SIGKILL'))
