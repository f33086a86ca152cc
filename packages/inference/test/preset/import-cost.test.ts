import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = resolve(import.meta.dirname, '../../src')
const core = resolve(import.meta.dirname, '../../../core/src')

/** The packages that loading a file loads with it, through core too: what it imports in no function. */
function loadedBy(file: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(file)) return packages
  seen.add(file)
  const statements = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type\b)[^;]*? from '([^']+)'/gms)
  for (const [, name = ''] of statements) {
    if (name.startsWith('.')) loadedBy(resolve(dirname(file), name), seen, packages)
    else packages.add(name)
    if (name === '@looprig/core') loadedBy(resolve(core, 'index.ts'), seen, packages)
  }
  return packages
}

describe('the root door of inference', () => {
  it('loads neither undici nor zod nor the code of a protocol', () => {
    expect([...loadedBy(resolve(source, 'index.ts'))].filter((name) => !name.startsWith('node:'))).toEqual([
      '@looprig/core',
    ])
  })

  it.each(['anthropic', 'openai', 'openai-responses', 'gemini', 'bedrock', 'wire', 'testing'])(
    '%s loads undici and zod with no import',
    (door) => {
      const file = resolve(source, `${door}.ts`)

      expect(existsSync(file)).toBe(true)
      expect(loadedBy(file)).not.toContain('undici')
      expect(loadedBy(file)).not.toContain('zod')
    },
  )
})

describe('the doors of core', () => {
  it.each(['index', 'testing'])('%s loads no package at all', (door) => {
    expect([...loadedBy(resolve(core, `${door}.ts`))].filter((name) => !name.startsWith('node:'))).toEqual([])
  })
})
