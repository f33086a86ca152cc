import { LLMock } from '@copilotkit/aimock'
import { bedrockClient } from '@looprig/inference/bedrock'
import { expect, it, onTestFinished } from 'vitest'
import { openSession } from '../../src/mock/open-session.ts'
import { mockedProviders } from '../../src/mock/providers.ts'

it('Bedrock answers a request that is signed; the mock takes every signature', async () => {
  const mock = new LLMock({ host: '127.0.0.1', port: 0, logLevel: 'silent' })
  await mock.start()
  onTestFinished(() => mock.stop())
  mock.onMessage('Hello.', { content: 'Hi.' })
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'the-secret', sessionToken: 'the-session' }
  const client = bedrockClient({ region: 'eu-central-1', baseUrl: mock.url, credentials })
  const provider = mockedProviders.find(({ name }) => name === 'Bedrock')
  if (provider === undefined) throw new Error('the provider is not in the list')
  const { session } = await openSession(client, provider.model)

  expect((await session.submit('Hello.').result()).text).toBe('Hi.')

  expect(mock.getLastRequest()?.headers).toMatchObject({
    authorization: '[REDACTED]',
    'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
    'x-amz-security-token': 'the-session',
  })
})
