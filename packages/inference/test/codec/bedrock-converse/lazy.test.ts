import { createRequire } from 'node:module'
import { bedrockClient } from '@looprig/inference/bedrock'
import { describe, expect, it } from 'vitest'
import { ask, failureOf } from '../../support/requests.ts'

const loaded = (): string[] =>
  Object.keys(createRequire(import.meta.url).cache).filter((path) => /[\\/]@(?:smithy|aws-crypto)[\\/]/.test(path))

describe('the door of Bedrock', () => {
  it('loads what signs with the first request and not before', async () => {
    const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret-0123456789' }
    const client = bedrockClient({ region: 'eu-central-1', credentials, baseUrl: 'http://127.0.0.1:1' })

    const before = loaded()
    const error = await failureOf(client.invoke(ask()))

    expect(before).toEqual([])
    expect(error.code).toBe('network')
    expect(loaded().length).toBeGreaterThan(0)
  })
})
