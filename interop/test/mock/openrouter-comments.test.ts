import { expect, it } from 'vitest'
import { mockKey, startMock } from '../../src/mock/mock-server.ts'
import { openSession } from '../../src/mock/open-session.ts'
import { mockedProviders } from '../../src/mock/providers.ts'

it('reads over the comments by which OpenRouter keeps a connection open', async () => {
  const mock = await startMock()
  mock.onMessage('Hello.', { content: 'Hi.' }, { openRouterProcessing: true })
  const provider = mockedProviders.find(({ name }) => name === 'OpenRouter')
  if (provider === undefined) throw new Error('the provider is not in the list')
  const { session } = await openSession(provider.connect(mock.url, mockKey), provider.model)

  expect(await session.submit('Hello.').result()).toMatchObject({ status: 'done', text: 'Hi.' })
})
