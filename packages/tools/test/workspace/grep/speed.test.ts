import { grepDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { callTool } from '../../support/call-tool.ts'
import { readGuard } from '../../support/read-guard.ts'
import { tempWorkspace } from '../../support/temp-workspace.ts'

/** As many files as a library has sources: 840 of 10 kB, one in forty with the word. */
async function sourceTree(): Promise<string> {
  const body = 'export function someName(argument: string): string {\n  return argument.trim()\n}\n'.repeat(120)
  const files = Array.from({ length: 840 }, (_, index) => {
    const path = `src/${index % 20}/file-${index}.ts`
    return [path, index % 40 === 0 ? `${body}const needle = 1\n` : body] as const
  })
  return tempWorkspace(Object.fromEntries(files))
}

describe('grepDefinition: the speed without ripgrep', () => {
  it('finds a plain word in 840 files of 8 MB with less than a second of processor time', async () => {
    const root = await sourceTree()
    const grep = grepDefinition({ readGuard }, { ripgrep: false })
    const before = process.cpuUsage()

    const result = await callTool(grep, root, { pattern: 'needle' })

    const { user, system } = process.cpuUsage(before)
    expect(result.details).toMatchObject({ matchCount: 21 })
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })
})
