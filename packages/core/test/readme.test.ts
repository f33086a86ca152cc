import { readFileSync } from 'node:fs'
import * as core from '@looprig/core'
import { assistantMessage, resultMessage } from '@looprig/core/testing'
import { describe, expect, it } from 'vitest'
import { everyFaultIsFound, everyStreamFoldsToItsMessage } from './readme/generators.ts'
import { importHistory } from './readme/imported-history.ts'
import { foldAndRestore } from './readme/usage.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
const readme = read('../README.md')

describe('README.md', () => {
  it('shows the code of usage.ts as it compiles', () => {
    expect(readme).toContain(`\`\`\`ts\n${read('./readme/usage.ts')}\`\`\``)
  })

  it('shows a usage that works', () => {
    expect(foldAndRestore()).toBe('Reading notes. {"path":"notes.md"}')
  })

  it('shows how a history is imported, and the code works', () => {
    const history = [core.userMessage('Hi'), assistantMessage('Hello')]

    expect(readme).toContain(`\`\`\`ts\n${read('./readme/imported-history.ts')}\`\`\``)
    expect(importHistory(JSON.stringify(history))).toEqual(history)
    expect(() => importHistory(JSON.stringify([resultMessage('1', 'x')]))).toThrow('messages[0]: orphan_tool_result')
  })

  it('shows generators, and the properties hold', () => {
    expect(readme).toContain(`\`\`\`ts\n${read('./readme/generators.ts')}\`\`\``)
    expect(everyStreamFoldsToItsMessage).not.toThrow()
    expect(everyFaultIsFound).not.toThrow()
  })

  it('tells the limits as they are', () => {
    expect(readme).toContain(`| ${core.maxBlocks.toLocaleString('en').replace(',', ' ')} |`)
    expect(readme).toContain(`| ${core.maxJsonDepth} levels |`)
    expect(readme).toContain(`| ${core.maxBlockCharacters.toLocaleString('en').replaceAll(',', ' ')}, `)
    expect(readme).toContain(`| ${core.maxResultNesting} levels |`)
  })
})
