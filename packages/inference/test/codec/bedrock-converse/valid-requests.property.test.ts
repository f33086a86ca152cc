import fc from 'fast-check'
import { describe, it } from 'vitest'
import { histories } from '../anthropic-messages/histories.ts'
import { encode, modelWith, type WireBody } from './encoded.ts'

const budget = modelWith({ thinking: true, thinkingDialect: 'budget', promptCaching: true })

type Part = Record<string, unknown>

describe('a request for any history', () => {
  it('is one that the provider takes', () => {
    fc.assert(
      fc.property(histories, fc.boolean(), (messages, thinks) => {
        expectValid(encode({ model: budget, messages, ...(thinks ? { sampling: { effort: 'low' } } : {}) }))
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
  if (messages.length > 0 && messages[0]?.role !== 'user') fail('a user speaks first', 0)
  for (const [at, { role, content }] of messages.entries()) {
    const parts = content.filter((part) => !('cachePoint' in part))
    if (parts.length === 0) fail('is empty', at)
    if (messages[at - 1]?.role === role) fail('roles alternate', at)
    if (parts.some(isBlank)) fail('holds a text of white space', at)
    if (role === 'assistant' && 'reasoningContent' in (parts.at(-1) ?? {})) fail('ends with thinking', at)
    const results = parts.filter((part) => 'toolResult' in part)
    if (results.length > 0 && results.length < parts.length) fail('mixes results with other content', at)
    const calls = idsOf(parts, 'toolUse')
    if (JSON.stringify(idsOf(messages[at + 1]?.content ?? [], 'toolResult')) !== JSON.stringify(calls)) {
      fail('calls have their results right after them', at)
    }
    for (const id of calls) if (!/^[\w.:-]{1,64}$/.test(String(id))) fail('call ids are legal', at)
  }
  const names = JSON.stringify(messages).match(/(?<="name":")[^"]+(?=","source)/g) ?? []
  if (new Set(names.map((name) => name.toLowerCase())).size !== names.length)
    fail('documents have names of their own', 0)
  if (JSON.stringify(messages).includes('toolUse') && !('toolConfig' in body)) fail('calls need a toolConfig', 0)
}

function idsOf(parts: readonly Part[], kind: 'toolUse' | 'toolResult'): unknown[] {
  return parts.flatMap((part) => (kind in part ? [(part[kind] as Part).toolUseId] : []))
}

function isBlank(part: Part): boolean {
  if ('toolResult' in part) {
    const { content } = part.toolResult as { readonly content: readonly Part[] }
    return content.length === 0 || content.some(isBlank)
  }
  return 'text' in part && String(part.text).trim() === ''
}
