import { describe, expect, it } from 'vitest'
import { titleOf } from '../../src/rig/session-head.ts'
import { smallRig } from '../journal/small-rig.ts'
import { storeKinds } from '../journal/stores.ts'

const family = '👨‍👩‍👧‍👦'

describe('titleOf', () => {
  it.each([
    ['one line of many', 'Where\r\n is\t\tX?\n', 'Where is X?'],
    ['no control character', 'a\u0000b\u001b[31mc\u009bd', 'a b [31mc d'],
    ['no mark that turns the text around', 'a\u202eb\u2066c\ufeffd', 'a b c d'],
    ['emoji of several parts whole', `${family} 🇩🇪 👍🏽`, `${family} 🇩🇪 👍🏽`],
    ['letters that are joined on purpose', 'می‌خواهم', 'می‌خواهم'],
    ['no half of a character', 'a\ud83d', 'a\ufffd'],
    ['nothing of nothing', ' \n\u0000', ''],
  ])('makes %s', (_, text, title) => {
    expect(titleOf(text)).toBe(title)
  })

  it('keeps 80 characters whole', () => {
    expect(titleOf('x'.repeat(80))).toBe('x'.repeat(80))
  })

  it('cuts the 81st, and says so', () => {
    expect(titleOf('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`)
  })

  it.each(['😀', '🇩🇪', '👍🏽', family, 'é'])('cuts between characters, never in %s', (character) => {
    const title = titleOf(character.repeat(90))

    const kept = title.slice(0, -1)
    expect(title.endsWith('…')).toBe(true)
    expect(kept).toBe(character.repeat(kept.length / character.length))
  })

  it.each([family.repeat(200), 'x'.repeat(4_000_000), `a${'\u0301'.repeat(100_000)}`])(
    'is small for any text',
    (text) => {
      expect(Buffer.byteLength(titleOf(text))).toBeLessThanOrEqual(324)
    },
  )
})

describe.each(storeKinds)('the title of a session on $name', (kind) => {
  it('is its first input, and stays', async () => {
    const rig = smallRig(kind.open(), { responses: [{ text: 'Hi.' }, { text: 'Hi.' }] })
    const session = await rig.newSession()

    await session.submit('first\nline').result()
    await session.submit('second').result()
    await session.shutdown()

    expect(await rig.sessions()).toMatchObject([{ title: 'first line' }])
  })

  it('is untitled without text, also after a restore', async () => {
    const store = kind.open()
    const rig = smallRig(store, { responses: [{ text: 'Hi.' }] })
    const session = await rig.newSession()
    await session.submit([{ type: 'image', mediaType: 'image/png', data: 'aGk=' }]).result()
    await session.shutdown()

    const again = smallRig(store, { responses: [{ text: 'Hi.' }], seed: 1 })
    const restored = await again.restoreSession(session.id)
    await restored.submit('text').result()
    await restored.shutdown()

    expect(await again.sessions()).toMatchObject([{ title: 'untitled' }])
  })
})
