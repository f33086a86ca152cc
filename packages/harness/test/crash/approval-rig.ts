/** A rig whose model asks for parallel edits, each of a file of its own; rules and effects are on disk too. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InferenceClient, InferenceRequest } from '@looprig/inference'
import { type ScriptedResponse, scriptedClient } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { defineTool, type Rule, type RuleSource, type RuleWriter, textResult } from '@looprig/tools'
import { z } from 'zod'
import { defineLoop, defineRig, interactiveGate, type Rig } from '../../src/index.ts'
import { strictClient } from '../../src/testing.ts'
import { recordEffect } from './recorded-acts.ts'

/** What a process does around the write of a rule. */
export interface RuleHooks {
  before(match: string): void
  after(match: string): void
}

/** Changes the file that a call would edit. */
export function changeFile(folder: string, call: string, content: string): void {
  writeFileSync(join(folder, `file-${call}`), content)
}

/** What the calls may do without a question from now on. */
export function readRules(folder: string): readonly string[] {
  const file = join(folder, 'rules')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

/** Makes the rig of one process. `calls` matter where the session begins. */
export function approvalRig(store: Store, folder: string, calls: readonly string[], hooks: RuleHooks): Rig {
  const access = { kinds: ['test.edit'], accessFor: () => 'ask' as const }
  const rules = rulesIn(folder, hooks)
  const gate = interactiveGate({ access: [access], rules: { source: rules, writer: rules } })
  const edits = calls.map((call) => ({ id: call, name: 'Edit', input: { call } }))
  const model = { provider: 'scripted', name: 'm' }
  const client = editingClient([{ toolCalls: edits }, { text: 'Edited.' }])
  const loop = defineLoop({ name: 'main', client, model, gate, tools: [editTool(folder)] })
  return defineRig({ name: 'approvals', loops: [loop], store })
}

/** Answers by how often it answered already. */
function editingClient(answers: readonly ScriptedResponse[]): InferenceClient {
  const respond = ({ messages }: InferenceRequest) =>
    scriptedClient(answers.slice(messages.filter(({ role }) => role === 'assistant').length))
  return strictClient({
    stream: (request, options) => respond(request).stream(request, options),
    invoke: (request, options) => respond(request).invoke(request, options),
  })
}

/** What is approved is the edit of the file as it is now. */
function editTool(folder: string) {
  return defineTool({
    name: 'Edit',
    description: 'Edit a file.',
    inputSchema: z.strictObject({ call: z.string() }),
    prepare: ({ call }) => {
      const what = { kind: 'test.edit', match: call, description: `edit ${call}` }
      return {
        summary: `edit ${call}`,
        artifact: { call, before: readFileSync(join(folder, `file-${call}`), 'utf8') },
        requirements: [{ ...what, scope: call, candidates: [what] }],
      }
    },
    run: ({ call }) => {
      recordEffect(folder, call)
      return textResult(`edited ${call}`)
    },
  })
}

function rulesIn(folder: string, { before, after }: RuleHooks): RuleSource & RuleWriter {
  return {
    denies: () => undefined,
    allows: ({ kind, match }): Rule | undefined =>
      readRules(folder).includes(match) ? { effect: 'allow', kind, match } : undefined,
    writeRules: async (candidates) => {
      for (const { match } of candidates) {
        before(match)
        if (!readRules(folder).includes(match)) appendFileSync(join(folder, 'rules'), `${match}\n`)
        after(match)
      }
    },
  }
}
