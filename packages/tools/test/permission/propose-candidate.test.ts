import { describe, expect, it } from 'vitest'
import { permissionStore, proposeCommandCandidate } from '../../src/permission.ts'
import { tempPath } from './support/temp-folder.ts'

describe('proposeCommandCandidate', () => {
  it.each([
    ['git log', 'Bash(git log:*)'],
    ['git  log -p --author="Ana B"', 'Bash(git log:*)'],
    ['git status && git status -s', 'Bash(git status:*)'],
    [' npm test \n', 'npm test'],
    ['npm run build && npm test', 'npm run build && npm test'],
    ['git push origin main', 'git push origin main'],
    ['git "log"', 'git "log"'],
    ['git log | head -5', 'git log | head -5'],
    ['make check > out.txt', 'make check > out.txt'],
  ])('offers for %j the rule %j', (command, rule) => {
    expect(proposeCommandCandidate(command)).toBe(rule)
  })

  it.each(['', 'a\nb', 'git log "', 'x\u{1b}[31m', `ls ${'x'.repeat(5_000)}`, '$(x)', 'export A=1; ls'])(
    'offers nothing for %j',
    (command) => {
      expect(proposeCommandCandidate(command)).toBeUndefined()
    },
  )

  it('takes the families from whoever composes the program', () => {
    expect(proposeCommandCandidate('cargo check -q', [['cargo', 'check']])).toBe('Bash(cargo check:*)')
    expect(proposeCommandCandidate('git log', [])).toBe('git log')
  })

  it.each(['git log -3', 'make -j4 check', 'npm run build && npm test', 'git log | head -5'])(
    'offers for %j what, once saved, covers it',
    async (command) => {
      const store = await permissionStore({ path: tempPath() })
      const requirement = {
        kind: 'command.execute',
        match: command,
        description: command,
        grantClass: 'command.start.v1',
        grantTarget: command,
      }
      expect(await store.allows({ ...requirement, scope: '' })).toBeUndefined()

      await store.writeRules([{ ...requirement, match: proposeCommandCandidate(command) ?? '' }])

      expect(await store.allows({ ...requirement, scope: '' })).toBeDefined()
    },
  )
})
