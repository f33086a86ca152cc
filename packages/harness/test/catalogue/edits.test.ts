/** EditFile in real sessions: what a loop has read, what others do to the file meanwhile, and edits side by side. */
import { execFileSync } from 'node:child_process'
import { memoryStore } from '@looprig/store/memory'
import { describe, expect, it } from 'vitest'
import { permissions } from '../gate/open-gates.ts'
import { storeKinds } from '../journal/stores.ts'
import { resultTexts } from '../session/open-session.ts'
import type { Says } from './catalogue-rig.ts'
import { answerAll, CatalogueWorld, calls, failedCodes, onlyGate } from './catalogue-world.ts'

const read = calls(['ReadFile', { path: 'a.txt' }])
const edit = calls(['EditFile', { path: 'a.txt', old: 'one', new: 'ONE' }])

/** Another process writes the file. */
function writeElsewhere(world: CatalogueWorld, text: string): void {
  execFileSync('sh', ['-c', 'printf "%s" "$1" > "$0"', world.path('a.txt'), text])
}

/** Runs a turn to its end over `a.txt`; people approve all. */
async function edited(says: (world: CatalogueWorld) => readonly Says[], before = 'one\ntwo\n') {
  const world = new CatalogueWorld(memoryStore())
  world.put('a.txt', before)
  const { session, recording } = await world.open({
    says: [...says(world), { text: 'ok' }],
    allowed: ['command.execute'],
  })
  const submission = session.submit('Go')
  await answerAll(session, 'approve')
  await submission.result()
  return { world, texts: resultTexts(session.history()), codes: failedCodes(recording, 'EditFile') }
}

describe.each(storeKinds)('an edit ($name)', ({ open }) => {
  it('shows a person the difference, and makes it once it is approved', async () => {
    const world = new CatalogueWorld(open())
    world.put('a.txt', 'one\ntwo\n')
    const { session } = await world.open({ says: [read, edit, { text: 'ok' }] })
    const submission = session.submit('Go')
    const gate = await onlyGate(session)
    const before = world.text('a.txt')

    await session.answer(gate.gateId, { action: 'approve' })
    await submission.result()

    expect(gate.preview?.text).toContain('-one\n+ONE\n')
    expect([before, world.text('a.txt')]).toEqual(['one\ntwo\n', 'ONE\ntwo\n'])
    expect(resultTexts(session.history())[1]).toMatch(/^edited a\.txt/)
  })
})

describe('an edit of a file that another process changed', () => {
  it('after it was read is refused, without asking anybody', async () => {
    const { world, codes } = await edited((made) => [
      read,
      () => {
        writeElsewhere(made, 'one of theirs\n')
        return edit
      },
    ])

    expect(codes).toEqual(['stale_file'])
    expect(world.text('a.txt')).toBe('one of theirs\n')
  })

  it('while a person was looking at the difference is refused, and nothing is written', async () => {
    const world = new CatalogueWorld(memoryStore())
    world.put('a.txt', 'one\ntwo\n')
    const { session, recording } = await world.open({ says: [read, edit, { text: 'ok' }] })
    const submission = session.submit('Go')
    const gate = await onlyGate(session)
    writeElsewhere(world, 'one of theirs\n')

    await session.answer(gate.gateId, { action: 'approve' })
    await submission.result()

    expect(failedCodes(recording, 'EditFile')).toEqual(['stale_file'])
    expect(world.text('a.txt')).toBe('one of theirs\n')
  })

  it('goes on once it was read again', async () => {
    const { world, texts } = await edited((made) => [
      read,
      () => {
        writeElsewhere(made, 'one of theirs\n')
        return edit
      },
      read,
      edit,
    ])

    expect(texts.at(-1)).toMatch(/^edited a\.txt/)
    expect(world.text('a.txt')).toBe('ONE of theirs\n')
  })
})

describe('what a loop has read', () => {
  it('is forgotten by a command, also by one that changes nothing and one that fails', async () => {
    for (const command of ['true', 'exit 3']) {
      const { world, codes } = await edited(() => [read, calls(['Bash', { command }]), edit])

      expect(codes).toEqual(['stale_file'])
      expect(world.text('a.txt')).toBe('one\ntwo\n')
    }
  })

  it('is forgotten by a process in the background', async () => {
    const { codes } = await edited(() => [read, calls(['Bash', { command: 'sleep 30', background: true }]), edit])

    expect(codes).toEqual(['stale_file'])
  })

  it('is not what another agent has read', async () => {
    const world = new CatalogueWorld(memoryStore())
    world.put('a.txt', 'one\ntwo\n')
    const { session, recording } = await world.open({
      says: [read, calls(['StartAgent', { agent_type: 'helper', instructions: 'edit' }]), { text: 'ok' }],
      helperSays: [edit, { text: 'done' }],
    })
    const submission = session.submit('Go')
    await answerAll(session, 'approve')
    await submission.result()

    expect(session.loops.map(({ name }) => name)).toEqual(['main', 'helper'])
    expect(failedCodes(recording, 'EditFile')).toEqual(['stale_file'])
    expect(world.text('a.txt')).toBe('one\ntwo\n')
  })
})

describe('two edits of one file in one step', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join('')
  const both = calls(
    ['EditFile', { path: 'a.txt', old: '50\n', new: 'fifty\n' }],
    ['EditFile', { path: 'a.txt', old: '75\n', new: 'seventy-five\n' }],
  )

  it.each([[[0, 1]], [[1, 0]]])('are both made, in whatever order people approve them (%j)', async (order) => {
    const world = new CatalogueWorld(memoryStore())
    world.put('a.txt', numbers)
    const { session } = await world.open({ says: [read, both, { text: 'ok' }] })
    const submission = session.submit('Go')
    await session.waitIdle({ orWaiting: true })
    const gates = permissions(session)

    for (const index of order) await session.answer(gates[index]?.gateId as never, { action: 'approve' })
    await submission.result()

    expect(world.text('a.txt')).toBe(numbers.replace('50\n', 'fifty\n').replace('75\n', 'seventy-five\n'))
  })

  it('are one that is made and one that tells why it is not, where they meet', async () => {
    const { world, texts, codes } = await edited(
      () => [
        read,
        calls(
          ['EditFile', { path: 'a.txt', old: 'one', new: 'ONE' }],
          ['EditFile', { path: 'a.txt', old: 'one', new: 'Uno' }],
        ),
      ],
      'one\n',
    )

    expect(texts.slice(1).filter((text) => text.startsWith('edited'))).toHaveLength(1)
    expect([['no_match'], ['stale_file']]).toContainEqual(codes)
    expect(['ONE\n', 'Uno\n']).toContain(world.text('a.txt'))
  })
})
