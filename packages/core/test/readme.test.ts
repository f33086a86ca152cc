import { readFileSync } from 'node:fs'
import * as core from '@looprig/core'
import { describe, expect, it } from 'vitest'
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

  it('tells the limits as they are', () => {
    expect(readme).toContain(`| ${core.maxBlocks.toLocaleString('en').replace(',', ' ')} |`)
    expect(readme).toContain(`| ${core.maxJsonDepth} levels |`)
  })
})
