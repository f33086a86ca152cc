import { describe, expect, it } from 'vitest'
import { checkDocBlocks } from '../../check/doc-blocks.mjs'
import { tempTree } from '../temp-tree.ts'

function problemsOf(owner: string): string[] {
  return checkDocBlocks(
    tempTree({
      'packages/a/package.json': '{ "name": "a", "exports": { ".": { "looprig-source": "./src/index.ts" } } }',
      'packages/a/src/index.ts':
        "export { shown as renamed } from './owner.ts'\nexport type { Shape } from './owner.ts'\n",
      'packages/a/src/owner.ts': owner,
    }),
  )
}

describe('checkDocBlocks', () => {
  it('accepts a doc block right above each export', () => {
    const owner =
      '/** Shown. */\nexport const shown = 1\n\n/** A shape. */\nexport interface Shape {}\nexport const hidden = 1\n'

    expect(problemsOf(owner)).toEqual([])
  })

  it('finds exports without one, in declarations of each form', () => {
    const owner =
      '/** The file. */\nimport x from "x"\nexport function shown() {}\n// Not a doc block.\ntype Shape = 1\nexport { Shape }\n'

    expect(problemsOf(owner)).toEqual([
      'packages/a/src/owner.ts:3: shown has no doc block',
      'packages/a/src/owner.ts:5: Shape has no doc block',
    ])
  })

  it('finds a name that the file does not declare', () => {
    expect(problemsOf('/** A shape. */\nexport class Shape {}\n')).toEqual([
      'packages/a/src/owner.ts: does not declare shown',
    ])
  })
})
