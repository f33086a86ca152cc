import type { JsonObject } from '@looprig/core'
import type { ToolResult } from '@looprig/tools'
import { type FetchOptions, fetchDefinition } from '@looprig/tools/web'
import { buildTool, callTool, newContext, textOfResult } from '../support/call-tool.ts'
import { clientFor } from './client-fixture.ts'
import type { LocalServer } from './local-server.ts'

/** Fetches from a server of a test. */
export function fetchFrom(
  server: LocalServer,
  args: JsonObject = {},
  options: FetchOptions = {},
  signal?: AbortSignal,
): Promise<ToolResult> {
  const definition = fetchDefinition({ client: clientFor(server) }, options)
  return callTool(definition, '/', { url: server.origin, method: 'GET', ...args }, signal)
}

/** Prepares a call of Fetch; what is refused rejects. */
export async function prepareFetch(server: LocalServer, args: JsonObject) {
  const tool = await buildTool(fetchDefinition({ client: clientFor(server) }), '/')
  const prepared = await tool.prepareCall(newContext(), JSON.stringify({ method: 'GET', ...args }))
  return { tool, prepared }
}

/** The text between the marks of a result. */
export function contentOf(result: ToolResult): string {
  const [, content] = /ends at mark [0-9a-f]{12}\]\n(.*)\[end of external content/s.exec(textOfResult(result)) ?? []
  if (content === undefined) throw new Error(`no marked content: ${textOfResult(result)}`)
  return content
}
