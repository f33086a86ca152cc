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

  it('finds what a program prints in the text block behind it', () => {
    const program = `${fence}ts run\nconsole.log(1)\n${fence}\n\nIt prints:\n\n${fence}text\n1\n${fence}\n`

    expect(extractSnippets(program)).toEqual({
      snippets: [{ line: 2, code: 'console.log(1)\n', printed: '1\n' }],
      problems: [],
    })
  })

  it.each([
    ['nothing', ''],
    ['another block', `${fence}sh\nnpm start\n${fence}\n`],
  ])('reports a program with %s behind it', (_what, behind) => {
    const problem = '1: a program needs a text block behind it: what it prints'

    expect(extractSnippets(`${fence}ts run\nconsole.log(1)\n${fence}\n${behind}`).problems).toEqual([problem])
  })

  it('reports a block without an end', () => {
    expect(extractSnippets(`text\n${fence}ts\nconst a = 1\n`).problems).toEqual(['2: the code block has no end'])
  })
})

describe('checkSnippets', () => {
  function clone(readme: string, more: Readonly<Record<string, string>> = {}): string {
    const folder = tempTree({
      'tsconfig.base.json':
        '{ "compilerOptions": { "module": "NodeNext", "customConditions": ["looprig-source"], "strict": true, "noEmit": true, "types": ["node"] } }',
      'packages/core/package.json':
        '{ "name": "@looprig/core", "type": "module", "exports": { ".": { "looprig-source": "./src/index.ts", "default": "./dist/index.js" } } }',
      'packages/core/src/index.ts': 'export const answer: number = 42\nexport const half = (n: number) => n / 2\n',
      'packages/core/dist/index.js': 'export const half = (n) => n / 2\n',
      'packages/core/README.md': readme,
      ...more,
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

  it('runs a program of the tutorial and compares what it prints', async () => {
    const page = (printed: string) =>
      `${fence}ts run\nimport { half } from '@looprig/core'\nconst n: number = half(84)\nprocess.stdout.write(\`\${n}\\n\`)\n${fence}\n\n${fence}text\n${printed}\n${fence}\n`
    const run = async (printed: string) => {
      const folder = clone('# Core\n', { 'docs/tutorial/1-first.md': page(printed) })
      const ready: string[] = []
      const problems = await checkSnippets(folder, async (root) => void ready.push(root))
      expect(ready).toEqual([folder])
      return problems
    }

    expect(await run('42')).toEqual([])
    expect((await run('43')).join('\n')).toMatch(
      /docs--tutorial--1-first\.md--2\.ts: it does not print what the text says/,
    )
  })
})
