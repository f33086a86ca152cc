import type { ChatProfileName } from '@looprig/inference/openai'
import type { RecordingEntry } from '../../packages/inference/test/recordings/recordings.ts'
import type { Dialect } from './wire-body.ts'

const profiles: readonly ChatProfileName[] = [
  'azure',
  'deepseek',
  'groq',
  'mistral',
  'moonshot',
  'ollama',
  'openrouter',
  'xai',
]

/** What only a client that turned a beta feature on gets: a server's own MCP calls, compaction, and fallbacks. */
const betas: ReadonlySet<string> = new Set([
  'anthropic/stream-mcp.sse',
  'anthropic/stream-compaction.sse',
  'anthropic/stream-fallback.sse',
])

/** The dialect of a recording, by the folder that says who was asked. */
export function dialectOf({ api, file }: RecordingEntry): Dialect {
  if (betas.has(file)) return { api, beta: true }
  if (api !== 'openai-chat') return { api }
  const folder = file.split('/')[0]
  const fallback = folder === 'openai-chat' ? 'openai' : 'compatible'
  return { api, profile: profiles.find((name) => name === folder) ?? fallback }
}
