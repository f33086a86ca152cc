import { userMessage } from '@looprig/core'
import { it } from 'vitest'
import { createAnthropicCodec } from '../../../src/codec/anthropic-messages/codec.ts'
import { createBedrockCodec } from '../../../src/codec/bedrock-converse/codec.ts'
import { createChatCodec } from '../../../src/codec/openai-chat/codec.ts'
import { said, call, result, model } from './encoded.ts'
const time = (f: () => void, n = 25) => { for (let i=0;i<3;i++) f(); const ts: number[] = []; for (let i = 0; i < n; i++) { const t = process.cpuUsage(); f(); const u = process.cpuUsage(t); ts.push((u.user + u.system) / 1000) } return ts.sort((a, b) => a - b)[n >> 1] }
it('bench', () => {
  const a = createAnthropicCodec(), c = createChatCodec(), b = createBedrockCodec()
  const history = (n: number) => { const m: any[] = [userMessage('Hi')]; for (let i = 0; i < n; i++) m.push(said(call(`c${i}`)), result(`c${i}`, 'x'.repeat(200))); return m }
  for (const n of [10, 1000]) { const h = history(n); const f = (codec: any) => () => { for (let i = 0; i < 20; i++) Buffer.byteLength(codec.encode({ model, messages: h }, 'stream').body) }; console.log(n, 'anthropic', time(f(a)) / 20, 'bedrock', time(f(b))/20, 'chat', time(f(c)) / 20) }
})
