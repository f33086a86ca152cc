/** A session with everything that a journal can hold: parallel effects, gates, a queue, a fold, refusals, a failure. */
import type { InputId, Message, ToolExecutionId } from '@looprig/core'
import type { InferenceClient, InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { type AccessSource, defineTool, type Requirement, textResult } from '@looprig/tools'
import { z } from 'zod'
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
import { recordSession, strictClient } from '../../src/testing.ts'

/** What the tools of the session touch. */
export interface World {
  /** A call has its effect, before it ends. */
  effect(executionId: ToolExecutionId): void
  /** How long a slow call takes: longer than a result waits to be written behind. */
  pause(): Promise<void>
}

/** What the rig is made of. */
export interface RichParts {
  readonly store: Store
  readonly world: World
  readonly ids?: IdSource
  readonly clock?: Clock
  /** Of a workspace; default: none. */
  readonly root?: string
}

const requirement = (kind: string, what: string): Requirement => ({
  kind,
  scope: what,
  match: what,
  description: `touch ${what}`,
})

const access: AccessSource = {
  kinds: ['test.free', 'test.ask', 'test.never'],
  accessFor: ({ kind }) => (kind === 'test.free' ? 'allow' : kind === 'test.ask' ? 'ask' : 'deny'),
}

/** What the model answers, by the question and by how many answers it gave to it already. */
const answers: Readonly<Record<string, readonly ScriptedResponse[]>> = {
  plain: [{ text: 'Yes.' }],
  work: [
    {
      text: 'First the notes.',
      toolCalls: [
        { id: 'n1', name: 'Note', input: { what: 'a', kind: 'free' } },
        { id: 'n2', name: 'Note', input: { what: 'b', kind: 'free' } },
        { id: 'n3', name: 'Slow', input: { what: 'c' } },
        { id: 'n4', name: 'Slow', input: { what: 'd' } },
        { id: 'n5', name: 'Missing', input: {} },
      ],
    },
    {
      thinking: 'Two of these need a person.',
      toolCalls: [
        { id: 'g1', name: 'Note', input: { what: 'e', kind: 'ask' } },
        { id: 'g2', name: 'Note', input: { what: 'f', kind: 'ask' } },
        { id: 'g3', name: 'Note', input: { what: 'g', kind: 'free' } },
        { id: 'g4', name: 'Note', input: { what: 'h', kind: 'never' } },
        { id: 'g5', name: 'Look', input: {} },
        { id: 'g6', name: 'Look', rawInput: '{"broken' },
      ],
    },
    { toolCalls: [{ id: 'l1', name: 'Look', input: {} }] },
    { text: 'All is noted.' },
  ],
  next: [{ thinking: 'Hm.', text: 'Next.' }],
  fails: [{ text: 'It begins', error: { code: 'overloaded', afterText: true } }],
  behind: [{ text: 'Behind.' }],
  last: [{ toolCalls: [{ id: 'z1', name: 'Note', input: { what: 'z', kind: 'free' } }] }, { text: 'Done.' }],
}

/** The questions in the order in which they are asked. */
export const questions: readonly string[] = ['plain', 'work', 'also', 'next', 'fails', 'behind', 'last']

/** The input of a question: the same in every run. */
export function inputIdOf(question: string): InputId {
  const index = questions.indexOf(question)
  return `11111111-0000-7000-8000-00000000000${index}` as InputId // proved: one digit completes the UUID
}

/** Asks one; only `also` may join the turn of another. */
export function askQuestion(session: Session, question: string): Submission {
  return session.submit(question, { inputId: inputIdOf(question), noFold: question !== 'also' })
}

/** Says whether a message asks something that has answers of its own: what is said meanwhile changes none. */
function isQuestion({ role, blocks: [block] }: Message): boolean {
  return role === 'user' && !(block?.type === 'text' && block.text === 'also')
}

/** A model that answers by what it is asked, so that it can go on after any restore; it takes only good requests. */
function richClient(): InferenceClient {
  const respond = (request: InferenceRequest) => {
    const asked = request.messages.findLastIndex(isQuestion)
    const block = request.messages[asked]?.blocks[0]
    const given = request.messages.slice(asked).filter((message) => message.role === 'assistant').length
    const answer = answers[block?.type === 'text' ? block.text : '']?.[given] ?? { text: 'Again.' }
    return scriptedClient([answer])
  }
  return strictClient({
    stream: (request, options) => respond(request).stream(request, options),
    invoke: (request, options) => respond(request).invoke(request, options),
  })
}

function richTools({ effect, pause }: World) {
  const note = defineTool({
    name: 'Note',
    description: 'Note one thing.',
    inputSchema: z.strictObject({ what: z.string(), kind: z.string() }),
    prepare: ({ what, kind }) => ({
      summary: `note ${what}`,
      artifact: { what },
      requirements: [requirement(`test.${kind}`, what)],
    }),
    run: ({ what }, { executionId }) => {
      effect(executionId)
      return textResult(`noted ${what}`)
    },
  })
  const slow = defineTool({
    name: 'Slow',
    description: 'Note one thing, slowly.',
    inputSchema: z.strictObject({ what: z.string() }),
    prepare: ({ what }) => ({
      summary: `note ${what}`,
      artifact: { what },
      requirements: [requirement('test.free', what)],
    }),
    run: async ({ what }, { executionId }) => {
      effect(executionId)
      await pause()
      return textResult(`noted ${what}`)
    },
    writeTarget: () => 'the one book',
  })
  const look = defineTool({
    name: 'Look',
    description: 'Look.',
    pure: true,
    inputSchema: z.strictObject({}),
    run: () => textResult('nothing there'),
  })
  return [note, slow, look]
}

/** The rig that makes and restores the session. */
export function richRig({ store, world, ids, clock, root }: RichParts): Rig {
  const loop = defineLoop({
    name: 'main',
    system: 'Answer.',
    client: richClient(),
    model: { provider: 'scripted', name: 'm' },
    tools: richTools(world),
    gate: interactiveGate({ access: [access] }),
  })
  const workspace = root === undefined ? undefined : { root }
  return defineRig({ name: 'rich', loops: [loop], store, ids, clock, workspace })
}

/** Asks all questions and answers the gates; leaves an idle session. */
export async function driveRichSession(session: Session): Promise<void> {
  const recording = recordSession(session)
  const ask = (question: string) => askQuestion(session, question)
  await ask('plain').result()
  const work = ask('work')
  // while the first slow call runs
  await recording.waitFor('ToolCallStarted', 4)
  const queued = ['also', 'next', 'fails', 'behind'].map(ask)
  const asked = await Promise.all([1, 2].map((count) => recording.waitFor('PermissionRequested', count)))
  const [first, second] = asked.map((event) => event.gateId)
  if (first !== undefined && second !== undefined) {
    await session.answer(second, { action: 'deny', by: 'ann' })
    await session.answer(first, { action: 'approve', by: 'ann' })
  }
  await Promise.all([work, ...queued].map((submission) => submission.result()))
  await ask('last').result()
  recording.close()
}
