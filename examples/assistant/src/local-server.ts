import { z } from 'zod'
import { UsageError } from './usage.ts'

const modelsSchema = z.object({ data: z.array(z.object({ id: z.string().min(1) })) })

/** Enough for any list of models, and an end to a server that never stops. */
const maxListBytes = 1024 * 1024

/**
 * Asks a server for its first model. One that does not list its models is asked for `default`, which those that hold a
 * single model do not read.
 *
 * @throws UsageError when nobody answers.
 */
export async function askForModelName(baseUrl: string): Promise<string> {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/models`
  let text: string
  try {
    text = await readBounded(await fetch(url, { signal: AbortSignal.timeout(5_000), redirect: 'error' }))
  } catch (cause) {
    throw new UsageError('--base-url: the server does not answer', { cause })
  }
  try {
    return modelsSchema.parse(JSON.parse(text)).data[0]?.id ?? 'default'
  } catch {
    return 'default'
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxListBytes) throw new Error('the list of models is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
