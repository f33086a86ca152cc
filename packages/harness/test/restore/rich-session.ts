/**
 * A session with everything that a journal can hold: parallel effects, gates, a queue, a fold, refusals, a failure, a
 * compaction, an agent that is waited for and one in the background.
 */
import type { InputId } from '@looprig/core'
import type { InferenceRequest } from '@looprig/inference'
import type { Store } from '@looprig/store'
import {
  type Clock,
  defineLoop,
  defineRig,
  type IdSource,
  interactiveGate,
  type Rig,
  type Session,
  type Submission,
} from '../../src/index.ts'
import { recordSession } from '../../src/testing.ts'
import { mainScript, richClient, type Script, scoutScript } from './rich-model.ts'
import { richAccess, richTools, type World } from './rich-tools.ts'

/** What the rig is made of. */
export interface RichParts {
  readonly store: Store
  readonly world: World
  readonly ids?: IdSource
  readonly clock?: Clock
  /** Of a workspace; default: none. */
  readonly root?: string
  /** Gets each request to a model, before it is answered. */
  readonly asked?: (request: InferenceRequest) => void
}

/** What is asked together; each round when the one before has its answers. */
export const rounds: readonly (readonly string[])[] = [
  ['work', 'also', 'next', 'fails', 'behind'],
  ['delegate'],
  ['plain'],
]

/** All questions, in the order in which they are asked. */
export const questions: readonly string[] = rounds.flat()

/** The input of a question: the same in every run. */
export function inputIdOf(question: string): InputId {
  const index = questions.indexOf(question)
  return `11111111-0000-7000-8000-00000000000${index}` as InputId // proved: one digit completes the UUID
}

/** Asks one; only `also` may join the turn of another. */
export function askQuestion(session: Session, question: string): Submission {
  return session.submit(question, { inputId: inputIdOf(question), noFold: question !== 'also' })
}

/** The rig that makes and restores the session. */
export function richRig({ store, world, ids, clock, root, asked = () => undefined }: RichParts): Rig {
  const loop = (name: string, script: Script) => ({
    name,
    system: 'Answer.',
    client: richClient(script, asked),
    model: { provider: 'scripted', name: 'm' },
    tools: richTools(world),
    gate: interactiveGate({ access: [richAccess] }),
  })
  const main = defineLoop({
    ...loop('main', mainScript),
    context: { keepRecentSegments: 2 },
    delegates: ['scout'],
    delegation: 'managed',
  })
  const scout = defineLoop(loop('scout', scoutScript))
  const workspace = root === undefined ? undefined : { root }
  return defineRig({ name: 'rich', loops: [main, scout], store, ids, clock, workspace })
}

/** Asks all questions and answers the gates; leaves an idle session. */
export async function driveRichSession(session: Session): Promise<void> {
  const recording = recordSession(session)
  const ask = (question: string) => askQuestion(session, question)
  const gates = (...numbers: readonly number[]) =>
    Promise.all(numbers.map(async (number) => (await recording.waitFor('PermissionRequested', number)).gateId))

  const work = ask('work')
  // while the first slow call runs
  await recording.waitFor('ToolCallStarted', 4)
  const queued = ['also', 'next', 'fails', 'behind'].map(ask)
  const [first, second] = await gates(1, 2)
  if (first !== undefined && second !== undefined) {
    await session.answer(second, { action: 'deny', by: 'ann' })
    await session.answer(first, { action: 'approve', by: 'ann' })
  }
  await Promise.all([work, ...queued].map((submission) => submission.result()))

  const compacted = session.compact()
  // waits for the end of the compaction
  const delegated = ask('delegate')
  const [third] = await gates(3)
  // that of the agent in the background, after those of `work` and `next`
  await recording.waitFor('TurnDone', 3)
  if (third !== undefined) await session.answer(third, { action: 'approve', by: 'ann' })
  await Promise.all([compacted, delegated.result()])

  await ask('plain').result()
  recording.close()
}
