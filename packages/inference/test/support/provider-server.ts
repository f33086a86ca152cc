import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** One request as the server got it. */
export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Settles when the connection of this request is closed. */
  readonly closed: Promise<void>
}

/** A real server on this machine that stands for a provider. */
export interface ProviderServer {
  readonly baseUrl: string
  readonly requests: readonly ReceivedRequest[]
  /** How many connections were opened. */
  readonly connections: number
  close(): Promise<void>
}

/** Answers a request. */
export type Answer = (response: ServerResponse) => void

/** Starts a server that answers each request with the next answer, the last one again and again. */
export async function startProvider(...answers: readonly [Answer, ...Answer[]]): Promise<ProviderServer> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const closed = new Promise<void>((resolve) => request.socket.once('close', () => resolve()))
    requests.push({ path: request.url ?? '', headers: request.headers, body, closed })
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? answers[0]
    answer(response)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.add(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${portOf(server)}/v1`,
    requests,
    get connections() {
      return connections
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** Answers with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Answers with these events and ends. */
export function events(...frames: readonly string[]): Answer {
  return (response) => {
    openStream(response, ...frames)
    response.end()
  }
}

/** Begins a stream and leaves it open. */
export function openStream(response: ServerResponse, ...frames: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const frame of frames) response.write(`data: ${frame}\n\n`)
}

/** A frame with a piece of text. */
export const textFrame = (content: string): string =>
  JSON.stringify({ model: 'lark-2', choices: [{ delta: { content } }] })

/** The frame that says that the model is finished. */
export const stopFrame: string = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })

/** A whole response of one text. */
export const wholeText = (content: string): object => ({
  model: 'lark-2',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
})

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port // proved: it listens on TCP
}
