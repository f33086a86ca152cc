import { describe, expect, it } from 'vitest'
import { checkBuiltDoors } from '../../check/built-doors.mjs'
import { tempTree } from '../temp-tree.ts'

function problemsOf(built: string): Promise<string[]> {
  return checkBuiltDoors(
    tempTree({
      'packages/a/package.json':
        '{ "name": "a", "type": "module", "exports": { "./door": { "default": "./dist/door.js" } } }',
      'packages/a/dist/door.js': built,
    }),
  )
}

describe('checkBuiltDoors', () => {
  it('accepts a module that can be required and imported', async () => {
    expect(await problemsOf('export const a = 1\n')).toEqual([])
  })

  it('refuses a top-level await, which cannot be required', async () => {
    const problems = await problemsOf('export const a = await 1\n')

    expect(problems[0]).toBe('a/door:')
    expect(problems.join('\n')).toContain('ERR_REQUIRE_ASYNC_MODULE')
  })

  it('refuses a door that does not load', async () => {
    expect((await problemsOf("import './gone.js'\n")).join('\n')).toContain('ERR_MODULE_NOT_FOUND')
  })
})
