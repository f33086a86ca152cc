/**
 * A process that owns sessions: `node <this> <folder> <plan>`. It does what it is told by lines of JSON, tells in lines
 * of JSON what its sessions say, and kills or stops itself where its plan says.
 */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { assertNever, type SessionId } from '@looprig/core'
import type { AppendRequest, Ledger, Store } from '@looprig/store'
import { sqliteStore } from '@looprig/store/sqlite'
import { createDeferred, type Deferred } from '../../src/clock/deferred.ts'
import type { Session } from '../../src/index.ts'
import { type AppendFault, faultyStore } from '../../src/testing.ts'
import { durableRig, saidIn } from './durable-rig.ts'
import type { AppendPoint, Command, OwnerPlan, Told } from './owner-plan.ts'

const [folder = '', planJson = '{}'] = process.argv.slice(2)
// proved: `startOwner` wrote it
const plan = JSON.parse(planJson) as OwnerPlan
const tell = (line: Told) => void process.stdout.write(`${JSON.stringify(line)}\n`)
const raise = (signal: NodeJS.Signals) => void process.kill(process.pid, signal)

/** Calls that are held. */
const holds = new Map<string, Deferred<void>>()
function holdOf(value: string): Deferred<void> {
  const hold = holds.get(value) ?? createDeferred<void>()
  holds.set(value, hold)
  return hold
}

/** Aborted when the owner sees that the time of its lease is over. */
const lost = new AbortController()

function openStore(): Store {
  const store = sqliteStore({ path: join(folder, 'sessions.db') })
  const { leases } = store
  const isHeld = leases.isHeld.bind(leases)
  const acquire = async (session: string) => {
    const lease = await leases.acquire(session)
    await lease.release()
    return { ...lease, lost: lost.signal }
  }
  const timed = plan.leaseByTime === undefined ? store : { ...store, leases: { isHeld, acquire } }
  let isOver = false
  return faultyStore(timed, (_number, request) => {
    if (isOver || plan.at === undefined || !isAt(plan.at, request)) return undefined
    isOver = true
    return faultAt(plan.at, store.ledger, request)
  })
}

function isAt({ holding }: AppendPoint, { records }: AppendRequest): boolean {
  return holding.every((part) => records.some(({ id, kind, body }) => `${kind} ${id} ${body}`.includes(part)))
}

async function stop(): Promise<void> {
  tell({ stopping: true })
  await new Promise((resolve) => setImmediate(resolve))
  raise('SIGSTOP')
  if (plan.leaseByTime === 'noticed') lost.abort()
}

function faultAt(point: AppendPoint, ledger: Ledger, request: AppendRequest): AppendFault {
  switch (point.do) {
    case 'kill before':
      return { kind: 'hooked', before: () => raise('SIGKILL') }
    case 'kill after':
      return { kind: 'hooked', after: () => raise('SIGKILL') }
    case 'kill after its first record': {
      const before = async () => {
        await ledger.append({ ...request, records: request.records.slice(0, 1) })
        raise('SIGKILL')
      }
      return { kind: 'hooked', before }
    }
    case 'stop before':
      return { kind: 'hooked', before: stop }
    case 'stop after':
      return { kind: 'hooked', after: stop }
    default:
      return assertNever(point.do, 'append point')
  }
}

const rig = durableRig(
  openStore(),
  {
    folder,
    held: (value) => holdOf(value).promise,
    requested: (request) => tell({ asked: saidIn(request) }),
  },
  plan,
)

/** All that this process has owned; the latest last. */
const sessions = new Map<SessionId, Session>()

function own(session: Session): void {
  const { id } = session
  sessions.delete(id)
  sessions.set(id, session)
  tell({ session: id })
  const say = async () => {
    for await (const { event } of session.subscribe({ since: 0 })) if (!event.type.endsWith('Delta')) tell({ event })
  }
  say().then(
    () => tell({ ended: { id, reason: 'closed' } }),
    (error: { readonly reason?: string }) => tell({ ended: { id, reason: error.reason ?? String(error) } }),
  )
}

async function obey(command: Command): Promise<void> {
  const meant = 'id' in command && command.id !== undefined ? sessions.get(command.id) : [...sessions.values()].at(-1)
  switch (command.do) {
    case 'new':
      return own(await rig.newSession())
    case 'restore': {
      const { id } = command
      return rig.restoreSession(id).then(own, ({ code }: { readonly code: string }) => tell({ refused: { id, code } }))
    }
    case 'submit': {
      const submission = meant?.submit(command.text, { inputId: command.inputId })
      submission?.result().then(
        (result) => tell({ result }),
        () => undefined,
      )
      return
    }
    case 'end':
      return holdOf(command.value).resolve()
    case 'interrupt':
      return void (await meant?.interrupt())
    case 'shutdown':
      return meant?.shutdown()
    default:
      assertNever(command, 'command')
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  // proved: `OwnerChild.say` wrote it
  const obeyed = obey(JSON.parse(line) as Command)
  // what a fault refuses is told as the end of its session
  obeyed.catch(() => undefined)
}
