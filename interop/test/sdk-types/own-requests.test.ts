import { beforeAll, describe, expect, it } from 'vitest'
import { ownAnswers, stepAfter } from '../../src/own/own-answers.ts'
import { ownRequests } from '../../src/own/own-requests.ts'
import { CheckedBodies } from '../../src/sdk-types/checked-bodies.ts'
import { bodiesOf, dialectName, dialects } from '../../src/wire-body.ts'

const requests = dialects.flatMap((dialect) =>
  ownRequests.map(({ name, request, except = [] }) => {
    const title = `${name}, in ${dialectName(dialect)}`
    return { title, dialect, request, isTaken: !except.includes(dialectName(dialect)) }
  }),
)

const answers = ownAnswers.flatMap((answer) =>
  answer.dialects.map((dialect) => ({ title: `${answer.name}, in ${dialectName(dialect)}`, dialect, answer })),
)

describe('a request of ours', () => {
  const bodies = new CheckedBodies()

  beforeAll(async () => {
    for (const { title, dialect, request } of requests) await bodies.add(title, () => bodiesOf('', dialect, request))
    for (const { title, dialect, answer } of answers) {
      await bodies.add(title, async () => bodiesOf('', dialect, await stepAfter(answer, dialect)))
    }
    await bodies.compile()
  }, 300_000)

  it.each(requests.filter(({ isTaken }) => isTaken))('is what the SDK takes: $title', ({ title }) => {
    expect(bodies.faultsOf(title)).toEqual([])
  })

  it.each(requests.filter(({ isTaken }) => !isTaken))('is refused before it is sent: $title', ({ title }) => {
    expect(() => bodies.faultsOf(title)).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })

  it.each(answers)('goes on from what the SDK takes back: $title', ({ title }) => {
    expect(bodies.faultsOf(title)).toEqual([])
  })
})
