import { describe, expect, it } from 'vitest'
import { missingReason, recordingsOf } from '../../../packages/inference/test/recordings/recordings.ts'
import { conversationOf } from '../../src/neutral/from-recording.ts'
import { ownAnswers, stepAfter } from '../../src/own/own-answers.ts'
import { ownRequests } from '../../src/own/own-requests.ts'
import { type Written, writtenByBedrock, writtenByGemini } from '../../src/sdk-wire/written-by-sdk.ts'
import { bodiesOf, codecOf, type WireBody } from '../../src/wire-body.ts'

/** The SDKs that do not pass a body on as it is, but write it themselves from other names. */
const sdks = [
  { api: 'gemini', writtenBySdk: writtenByGemini },
  { api: 'bedrock-converse', writtenBySdk: writtenByBedrock },
] as const

const suite = missingReason === undefined ? 'recorded conversations' : `recorded conversations (${missingReason})`

describe.each(sdks)('the SDK of $api writes the same path and body', ({ api, writtenBySdk }) => {
  const requests = ownRequests.filter(({ except = [] }) => !except.includes(api))
  const answers = ownAnswers.filter(({ dialects }) => dialects.some((dialect) => dialect.api === api))

  it.each(requests)('for $name', async ({ name, request }) => {
    await expectSame(bodiesOf(name, { api }, request), writtenBySdk)
  })

  it.each(answers)('for the step after $name', async (answer) => {
    await expectSame(bodiesOf(answer.name, { api }, await stepAfter(answer, { api })), writtenBySdk)
  })

  describe.skipIf(missingReason !== undefined)(suite, () => {
    it.each(recordingsOf(api))('for $file', async (entry) => {
      const { request } = await conversationOf(entry, codecOf({ api }))

      await expectSame(bodiesOf(entry.file, { api }, request), writtenBySdk)
    })
  })
})

async function expectSame(bodies: readonly WireBody[], write: (body: WireBody) => Promise<Written>): Promise<void> {
  for (const body of bodies) expect({ path: body.path, body: body.body }).toEqual(await write(body))
}
