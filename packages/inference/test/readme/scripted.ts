import { userMessage } from '@looprig/core'
import { scriptedClient } from '@looprig/inference/testing'

export async function firstCall(): Promise<string | undefined> {
  const client = scriptedClient([{ toolCalls: [{ name: 'ReadFile', input: { path: 'notes.md' } }] }])
  const { toolCalls } = await client.invoke({
    model: { provider: 'scripted', name: 'any' },
    messages: [userMessage('Read my notes.')],
  })
  return toolCalls[0]?.argsJson
}
