import type { JsonObject } from '@looprig/core'
import type { ToolDefinition, ToolResult } from '@looprig/tools'
import { grepDefinition } from '@looprig/tools/workspace'
import { rgPath } from '@vscode/ripgrep'
import { expect } from 'vitest'
import { callTool, textOfResult } from './call-tool.ts'
import { readGuard } from './read-guard.ts'

/** Grep as it is with ripgrep, and as it is without. */
export const grepEngines: readonly (readonly [string, ToolDefinition])[] = [
  ['ripgrep', grepDefinition({ readGuard }, { ripgrep: rgPath })],
  ['re2js', grepDefinition({ readGuard }, { ripgrep: false })],
]

/** Runs a search with both engines, proves that they agree, and gives the one result. */
export async function grepBoth(root: string, args: JsonObject): Promise<ToolResult> {
  const [withRipgrep, without] = await Promise.all(
    grepEngines.map(([, definition]) => callTool(definition, root, args)),
  )
  if (withRipgrep === undefined || without === undefined) throw new Error('two engines give two results')
  expect(withRipgrep).toEqual(without)
  return withRipgrep
}

/** The lines of a search on which both engines agree. */
export async function grepLines(root: string, args: JsonObject): Promise<string[]> {
  return textOfResult(await grepBoth(root, args)).split('\n')
}
