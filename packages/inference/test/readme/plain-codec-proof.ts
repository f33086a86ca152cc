import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InferenceClient } from '@looprig/inference'
import { runClientContract, runCodecContract, type TestRegistrar } from '@looprig/inference/testing'
import type { WireCodec } from '@looprig/inference/wire'

const stream = 'data: {"say":"Guten "}\n\ndata: {"say":"Tag 👋"}\n\ndata: {"end":"done"}\n\n'
const whole = '{"said":"Guten Tag 👋","end":"done"}'

/** Registers both contracts with a test runner: `provePlain({ describe, it }, plainCodec, plainClient)`. */
export function provePlain(
  runner: TestRegistrar,
  codec: WireCodec,
  clientFor: (baseUrl: string, apiKey: string) => InferenceClient,
): void {
  runCodecContract(runner, { name: 'plain', open: () => codec, fixtures: [{ name: 'a greeting', stream, whole }] })
  runClientContract(runner, {
    name: 'plain',
    open: async () => {
      let count = 0
      const server = createServer((request, response) => {
        count += 1
        let asked = ''
        request.on('data', (chunk) => (asked += String(chunk)))
        request.on('end', () => {
          const isStream = JSON.parse(asked).stream
          response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
          response.end(isStream ? stream : whole)
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo // proved: it listens on TCP
      return {
        client: clientFor(`http://127.0.0.1:${port}`, 'a-key'),
        sent: () => count,
        close: () => void server.close(),
      }
    },
  })
}
