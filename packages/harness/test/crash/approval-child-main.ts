/** `node <script> <folder> <task>`: does its `ApprovalTask` on the session in a folder, and dies as that says. */
import { join } from 'node:path'
import type { GateId, SessionId } from '@looprig/core'
import { sqliteStore } from '@looprig/store/sqlite'
import type { OpenGate } from '../../src/index.ts'
import { faultyStore } from '../../src/testing.ts'
import type { ApprovalTask, PlannedAnswer } from './approval-plan.ts'
import { approvalRig } from './approval-rig.ts'

const [folder = '', json = ''] = process.argv.slice(2)
// proved: `approvals.test.ts` writes it
const task = JSON.parse(json) as ApprovalTask

const die = () => void process.kill(process.pid, 'SIGKILL')
const dies = task.does === 'answer' ? task.dies : undefined
const last = task.does === 'answer' ? task.answers.at(-1) : undefined
let isLast = false
const store = faultyStore(sqliteStore({ path: join(folder, 'sessions.db') }), () =>
  dies === 'unsaid' && isLast ? { kind: 'hooked', before: die } : undefined,
)
const dieOfRule = (way: string) => (match: string) => {
  if (dies === way && match === last?.call) die()
}
const rig = approvalRig(store, folder, task.does === 'begin' ? task.calls : [], {
  before: dieOfRule('rule_unsaved'),
  after: dieOfRule('rule_saved'),
})

if (task.does === 'begin') {
  const session = await rig.newSession()
  session.submit('Go')
  await session.waitIdle({ orWaiting: true })
  die()
} else {
  const [left] = await store.ledger.list()
  // proved: only a rig gave names in this store, and they are session ids
  const id = (left?.session ?? '') as SessionId
  if (task.as === 'owner') {
    const session = await rig.restoreSession(id)
    await answerAll(task.answers, session.gates(), (gateId, action) => session.answer(gateId, { action }))
    if (dies === 'said') die()
    await session.waitIdle()
    await session.shutdown()
  } else {
    const mailbox = rig.mailbox(id)
    const { loops } = await rig.inspect(id)
    await answerAll(task.answers, loops[0]?.turn?.gates ?? [], (gateId, action) => mailbox.answer(gateId, { action }))
    die()
  }
}
await store.close()

async function answerAll(
  answers: readonly PlannedAnswer[],
  gates: readonly OpenGate[],
  answer: (gateId: GateId, action: PlannedAnswer['action']) => Promise<void>,
): Promise<void> {
  for (const { call, action } of answers) {
    const gate = gates.find((each) => each.kind === 'permission' && each.request.summary === `edit ${call}`)
    if (gate === undefined) throw new Error(`no gate is open for ${call}`)
    isLast = call === last?.call
    await answer(gate.gateId, action)
  }
}
