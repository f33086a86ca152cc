import { createRequire } from 'node:module'
import { withRetry } from '@looprig/inference'
import { openAIChatClient } from '@looprig/inference/openai'
import { scriptedClient } from '@looprig/inference/testing'
import { describe, expect, it } from 'vitest'
import { ask, failureOf } from '../support/requests.ts'

function undiciModules(): string[] {
  return Object.keys(createRequire(import.meta.url).cache).filter((path) => /[\\/]undici[\\/]/.test(path))
}

describe('the doors of inference', () => {
  it('load undici with the first request and not before', async () => {
    const client = withRetry(openAIChatClient({ baseUrl: 'http://127.0.0.1:1/v1' }), { maxAttempts: 1 })
    await scriptedClient([{ text: 'Hi' }]).invoke(ask())

    const before = undiciModules()
    const error = await failureOf(client.invoke(ask()))

    expect(before).toEqual([])
    expect(error.code).toBe('network')
    expect(undiciModules().length).toBeGreaterThan(0)
  })
})
