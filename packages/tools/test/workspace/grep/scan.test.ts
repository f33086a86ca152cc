import { grepDefinition } from '@looprig/tools/workspace'
import { describe, expect, it } from 'vitest'
import { scan } from '../../../src/workspace/grep/scan.ts'
import { compileSearchPattern } from '../../../src/workspace/grep/search-pattern.ts'
import { callTool } from '../../support/call-tool.ts'
import { readGuard } from '../../support/read-guard.ts'
import { tempWorkspace } from '../../support/temp-workspace.ts'

describe('scan', () => {
  it('is killed in the middle of a line that would take long', async () => {
    const root = await tempWorkspace({ big: `${'ab'.repeat(15_000_000)}c\n` })
    const grep = grepDefinition({ readGuard }, { ripgrep: false, deadline: () => AbortSignal.timeout(300) })

    const result = await callTool(grep, root, { pattern: '[ab]*[cd]' })

    expect(result).toMatchObject({ isError: true, code: 'timed_out' })
  })

  it('rejects when its worker fails', async () => {
    const root = await tempWorkspace({ a: 'x' })
    const files = scan([`${root}/a`], {
      path: root,
      isFile: false,
      pattern: { ...compileSearchPattern('x', false), re2: '(' },
      recursive: true,
      contextLines: 0,
      includeNoise: false,
      isLocal: true,
      guard: readGuard,
      signal: new AbortController().signal,
    })

    await expect(files.next()).rejects.toThrow()
  })
})
