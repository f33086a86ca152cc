import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../bootstrap/set-up.mjs'
import { checkSnippets, extractSnippets } from '../../check/snippets.mjs'
import { tempTree } from '../temp-tree.ts'

const fence = '```'

describe('extractSnippets', () => {
  it('finds the ts blocks with the line that each starts at', () => {
    const markdown = [
      '# Title',
      `${fence}ts`,
      'const a = 1',
      fence,
      '',
      `${fence}sh`,
      'npm start',
      fence,
      `${fence}ts`,
      fence,
    ]

    expect(extractSnippets(markdown.join('\r\n'))).toEqual({
      snippets: [
        { line: 3, code: 'const a = 1\n' },
        { line: 10, code: '\n' },
      ],
      problems: [],
    })
  })

  it('leaves a block in a longer fence alone', () => {
    const markdown = ['````md', `${fence}ts`, 'const a: string = 1', fence, '````']

    expect(extractSnippets(markdown.join('\n'))).toEqual({ snippets: [], problems: [] })
  })

  it('excuses a block only with a reason', () => {
    const excused = `${fence}ts no-check: shows an error\nconst a: string = 1\n${fence}\n`
    const unreasoned = `${fence}ts no-check\n${fence}\n`

    expect(extractSnippets(excused)).toEqual({ snippets: [], problems: [] })
    expect(extractSnippets(unreasoned).problems).toEqual([expect.stringMatching(/^1: no-check needs a reason/)])
  })

  it('reports a block without an end', () => {
    expect(extractSnippets(`text\n${fence}ts\nconst a = 1\n`).problems).toEqual(['2: the code block has no end'])
  })
})

describe('checkSnippets', () => {
  function clone(readme: string): string {
    const folder = tempTree({
      'tsconfig.base.json':
        '{ "compilerOptions": { "module": "NodeNext", "customConditions": ["looprig-source"], "strict": true, "noEmit": true, "types": [] } }',
      'packages/core/package.json':
        '{ "name": "@looprig/core", "type": "module", "exports": { ".": { "looprig-source": "./src/index.ts" } } }',
      'packages/core/src/index.ts': 'export const answer: number = 42\n',
      'packages/core/README.md': readme,
    })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    return folder
  }

  it('compiles a block against the sources of the packages', async () => {
    const readme = `${fence}ts\nimport { answer } from '@looprig/core'\nexport const double: number = answer * 2\n${fence}\n`

    expect(await checkSnippets(clone(readme))).toEqual([])
  })

  it('names the README and its line where a block does not compile', async () => {
    const readme = `# Core\n\n${fence}ts\nimport { answer } from '@looprig/core'\nexport const text: string = answer\n${fence}\n`

    const problems = await checkSnippets(clone(readme))

    expect(problems.join('\n')).toMatch(/packages--core--README\.md--4\.ts\(5,14\): error TS2322/)
  })
})
