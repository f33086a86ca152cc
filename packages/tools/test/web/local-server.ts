import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a server of a test saw of one request. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server on the loopback address, until the test ends. */
export interface LocalServer {
  readonly port: number
  /** `127.0.0.1:port`, as `allowPrivateHosts` takes it. */
  readonly host: string
  /** `http://127.0.0.1:port`. */
  readonly origin: string
  readonly seen: SeenRequest[]
  /** How many connections were opened. */
  connections(): number
}

/** Answers requests with a handler. */
export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse, seen: SeenRequest) => void,
): Promise<LocalServer> {
  const seen: SeenRequest[] = []
  const server = createHttpServer((request, response) => {
    response.on('error', () => undefined)
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one: SeenRequest = { method, url, headers, body: Buffer.concat(parts).toString() }
      seen.push(one)
      handle(request, response, one)
    })
  })
  return listen(server, seen)
}

/** Answers with bytes that no HTTP server would send. */
export function serveRaw(
  handle: (socket: Socket) => void,
  greet: (socket: Socket) => void = () => undefined,
): Promise<LocalServer> {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined)
      greet(socket)
      socket.once('data', () => handle(socket))
    }),
    [],
  )
}

async function listen(server: Server, seen: SeenRequest[]): Promise<LocalServer> {
  const open = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo // proved: it listens on a port
  return { port, host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, seen, connections: () => connections }
}
