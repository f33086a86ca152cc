import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ProgramRun } from './program-run.ts'
import { tempFolder } from './temp-folder.ts'

/** A server of the chat protocol that answers everything with `Hello.` */
async function serveChat(): Promise<{ readonly baseUrl: string; readonly requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    if (request.method === 'GET') return void response.end('{"data":[{"id":"tiny"}]}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: 'c', model: 'tiny', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
    response.end(`${chunk({ content: 'Hel' }, null)}${chunk({ content: 'lo.' }, 'stop')}data: [DONE]\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // proved: it listens on TCP
  return { baseUrl: `http://127.0.0.1:${port}/v1`, requests }
}

describe('a server that speaks the chat protocol', () => {
  it('is asked for its model and answers without a key', async () => {
    const { baseUrl, requests } = await serveChat()
    const run = new ProgramRun(['--base-url', baseUrl, 'Hi?'], { cwd: tempFolder() })

    expect(await run.code).toBe(0)
    expect(run.stdout.text).toBe('Hello.\n')
    expect(run.stderr.text).toContain('using the model tiny')
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/models',
      'POST /v1/chat/completions',
    ])
    expect(requests.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  })

  it('gets the key of the provider that it stands for, and nobody prints it', async () => {
    const { baseUrl, requests } = await serveChat()
    const env = { OPENAI_API_KEY: 'sk-SENTINEL', OPENAI_BASE_URL: baseUrl }
    const run = new ProgramRun(['Hi?'], { cwd: tempFolder(), env })

    expect(await run.code).toBe(0)
    expect(run.stdout.text).toBe('Hello.\n')
    expect(requests[0]?.headers.authorization).toBe('Bearer sk-SENTINEL')
    expect(run.stdout.text + run.stderr.text).not.toContain('SENTINEL')
  })

  it('is reached through the proxy of the environment, unless NO_PROXY names it', async () => {
    const { baseUrl, requests } = await serveChat()
    const proxy = await serveProxy()
    const env = { OPENAI_API_KEY: 'sk-SENTINEL', OPENAI_BASE_URL: baseUrl, HTTP_PROXY: proxy.url }

    const through = new ProgramRun(['Hi?'], { cwd: tempFolder(), env })
    const throughCode = await through.code
    const tunnels = proxy.targets.length
    const around = new ProgramRun(['Hi?'], { cwd: tempFolder(), env: { ...env, NO_PROXY: '127.0.0.1' } })

    expect([throughCode, await around.code]).toEqual([0, 0])
    expect(tunnels).toBe(1)
    expect(proxy.targets).toHaveLength(1)
    expect(requests).toHaveLength(2)
  })
})

/** A proxy that tunnels, and remembers where to. */
async function serveProxy(): Promise<{ readonly url: string; readonly targets: readonly string[] }> {
  const targets: string[] = []
  const server = createServer()
  server.on('connect', (request, socket, head) => {
    targets.push(String(request.url))
    const { hostname, port } = new URL(`http://${request.url}`)
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // proved: it listens on TCP
  return { url: `http://127.0.0.1:${port}`, targets }
}
