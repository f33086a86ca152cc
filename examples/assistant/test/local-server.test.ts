import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askForModelName } from '../src/local-server.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.address() as AddressInfo // proved: it listens on TCP
  return `http://127.0.0.1:${port}/v1`
}

describe('askForModelName', () => {
  it('takes the first model of the list', async () => {
    const baseUrl = await serve((request, response) => {
      response.end(request.url === '/v1/models' ? '{"data":[{"id":"first"},{"id":"second"}]}' : '')
    })

    expect(await askForModelName(`${baseUrl}/`)).toBe('first')
  })

  it('asks for `default` where there is no list', async () => {
    const baseUrl = await serve((_request, response) => {
      response.writeHead(404).end('not here')
    })

    expect(await askForModelName(baseUrl)).toBe('default')
  })

  it('gives up on a list without an end', async () => {
    const baseUrl = await serve((_request, response) => {
      const more = () => response.write('x'.repeat(64 * 1024), more)
      more()
    })

    await expect(askForModelName(baseUrl)).rejects.toThrow('--base-url: the server does not answer')
  })

  it('tells when nobody answers', async () => {
    await expect(askForModelName('http://127.0.0.1:9/v1')).rejects.toThrow('--base-url: the server does not answer')
  })
})
