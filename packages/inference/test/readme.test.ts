import { readFileSync } from 'node:fs'
import { InferenceError, inferenceErrorCodes } from '@looprig/inference'
import { describe, expect, it, vi } from 'vitest'
import { firstCall } from './readme/scripted.ts'
import { answer } from './readme/usage.ts'
import { events, startProvider, stopFrame, textFrame } from './support/provider-server.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const readme = read('../README.md')

describe('README.md', () => {
  it.each(['usage', 'scripted', 'plain-codec', 'plain-codec-proof'])(
    'shows the code of %s.ts as it compiles',
    (name) => {
      expect(readme).toContain(`\`\`\`ts\n${read(`./readme/${name}.ts`)}\`\`\``)
    },
  )

  it('shows a usage that works', async () => {
    const server = await startProvider(events(textFrame('Forty-two.'), stopFrame, '[DONE]'))
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)

    const text = await answer('What is the answer?', server.baseUrl, 'sk-readme')
    write.mockRestore()
    await server.close()

    expect(text).toBe('Forty-two.')
  })

  it('shows a scripted client that works', async () => {
    expect(await firstCall()).toBe('{"path":"notes.md"}')
  })

  it('lists every error code once, and says of each whether it is retryable', () => {
    const rows = [...readme.matchAll(/^\| `(\w+)` \| .* \| (yes|no) \|$/gm)].map(([, code, retryable]) => [
      code,
      retryable,
    ])

    const expected = inferenceErrorCodes.map((code) => [code, new InferenceError(code, '').retryable ? 'yes' : 'no'])
    expect(rows.sort()).toEqual(expected.sort())
  })
})
