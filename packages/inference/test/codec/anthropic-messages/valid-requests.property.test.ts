import fc from 'fast-check'
import { describe, it } from 'vitest'
import { encode, modelWith, type WireBody } from './encoded.ts'
import { histories } from './histories.ts'

const budget = modelWith({ thinking: true, thinkingDialect: 'budget', promptCaching: true })

type Part = Record<string, unknown>

describe('a request for any history', () => {
  it('is one that the provider takes', () => {
    fc.assert(
      fc.property(histories, fc.boolean(), (messages, thinks) => {
        const body = encode({ model: budget, messages, ...(thinks ? { sampling: { effort: 'low' } } : {}) })

        expectValid(body)
      }),
      { numRuns: 400 },
    )
  })
})

/** The rules of the provider, as its errors tell them. */
function expectValid(body: WireBody): void {
  const { messages } = body
  const fail = (rule: string, at: number) => {
    throw new Error(`messages[${at}]: ${rule}\n${JSON.stringify(messages, undefined, 1)}`)
  }
  const ids = new Set<unknown>()
  for (const [at, { role, content }] of messages.entries()) {
    if (content.length === 0) fail('is empty', at)
    if (messages[at - 1]?.role === role) fail('roles alternate', at)
    for (const part of content) if (hasBlankText(part)) fail('holds a text of white space', at)
    const calls = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
    for (const id of calls) {
      if (ids.has(id) || !/^[\w-]+$/.test(String(id))) fail('call ids are legal and unique', at)
      ids.add(id)
    }
    if (role === 'assistant' && /thinking/.test(String(content.at(-1)?.type))) fail('ends with thinking', at)
    if (role === 'user')
      expectResults(content, messages[at - 1]?.content ?? [], () => fail('results answer the calls before them', at))
    if (calls.length > 0 && messages[at + 1] === undefined) fail('calls have no results', at)
  }
  const last = messages.at(-1)
  const text = last?.role === 'assistant' ? last.content.at(-1)?.text : ''
  if (typeof text === 'string' && text !== text.trimEnd())
    fail('an answer to go on from ends in white space', messages.length - 1)
  if (JSON.stringify(body).includes('\\ud83d"')) fail('holds half a character', 0)
  if ((JSON.stringify(body).match(/cache_control/g) ?? []).length > 4) fail('has too many cache markers', 0)
}

function expectResults(content: readonly Part[], before: readonly Part[], fail: () => void): void {
  const asked = before.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
  const results = content.filter(({ type }) => type === 'tool_result')
  const first = content.slice(0, results.length)
  if (JSON.stringify(results.map(({ tool_use_id }) => tool_use_id)) !== JSON.stringify(asked)) fail()
  if (first.some(({ type }) => type !== 'tool_result')) fail()
  for (const { is_error, content: shown } of results) {
    const parts = shown as Part[]
    if (parts.length === 0 || parts.some(hasBlankText)) fail()
    if (is_error === true && parts.some(({ type }) => type !== 'text')) fail()
  }
}

function hasBlankText({ type, text }: Part): boolean {
  return type === 'text' && (typeof text !== 'string' || text.trim() === '')
}
