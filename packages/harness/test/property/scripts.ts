/** Scripts of acts: what happens to a session, in plain words. */
import fc from 'fast-check'
import { agentWords, plainWords } from './played-model.ts'

const word = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...plainWords) },
  { weight: 2, arbitrary: fc.constantFrom('text', 'fail', 'break', 'empty', 'list', 'halt') },
)
/** What an agent is told. */
const told = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...plainWords) },
  { weight: 2, arbitrary: fc.constantFrom('text', 'fail', 'break') },
)
const agentWord = fc
  .tuple(fc.constantFrom(...agentWords), fc.array(told, { minLength: 1, maxLength: 2 }))
  .map(([name, words]) => `${name}:${words.join('+')}`)
const plan = fc
  .array(fc.oneof({ weight: 5, arbitrary: word }, { weight: 3, arbitrary: agentWord }), { maxLength: 4 })
  .map((words) => words.join(' '))
const place = fc.nat(3)

const withPlan = (verb: string) => plan.map((words) => `${verb} ${words}`.trim())
const withPlace = (...verbs: readonly string[]) =>
  fc.tuple(fc.constantFrom(...verbs), place).map(([verb, number]) => `${verb} ${number}`)
const answer = fc
  .tuple(fc.constantFrom('answer', 'answer', 'reply'), place, fc.constantFrom('yes', 'always', 'deny'))
  .map((parts) => parts.join(' '))
const setting = fc.constantFrom(
  ...['mode other', 'mode bare', 'mode base', 'model m2', 'model m', 'mode other 2', 'model m3 2'],
)

/** What people and other processes do. */
const said: fc.WeightedArbitrary<string>[] = [
  { weight: 8, arbitrary: withPlan('submit') },
  { weight: 3, arbitrary: withPlan('alone') },
  { weight: 4, arbitrary: withPlan('mail') },
  { weight: 3, arbitrary: withPlace('again', 'cancel', 'recall', 'drop') },
  { weight: 3, arbitrary: fc.constant('interrupt') },
  { weight: 10, arbitrary: answer },
  { weight: 2, arbitrary: setting },
  { weight: 2, arbitrary: fc.constantFrom('compact', 'compact 2', 'switch', 'follow 0', 'follow 9') },
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 9 }).map((turns) => `wait ${turns}`) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 }).map((ticks) => `tick ${ticks}`) },
  { weight: 3, arbitrary: fc.constantFrom('clock 60', 'clock 500', 'clock 6000') },
]

/** What happens to the store. */
const troubles: fc.WeightedArbitrary<string>[] = [
  { weight: 1, arbitrary: fc.constant('refused') },
  { weight: 2, arbitrary: fc.constantFrom('lost 1', 'lost 3', 'written 1', 'written 2', 'written 300', 'lost 300') },
  { weight: 2, arbitrary: fc.constant('slow') },
  {
    weight: 4,
    arbitrary: fc.oneof(
      withPlan('race mail'),
      withPlace('race recall', 'race drop'),
      answer.map((act) => `race ${act}`),
    ),
  },
]

/** A list of acts; not only the short ones that are drawn by default. */
function scriptOf(...acts: readonly fc.WeightedArbitrary<string>[]): fc.Arbitrary<readonly string[]> {
  return fc.array(fc.oneof(...acts), { maxLength: 30, size: 'max' })
}

const comings: readonly fc.WeightedArbitrary<string>[] = [
  { weight: 3, arbitrary: fc.constant('restart') },
  { weight: 1, arbitrary: fc.constant('close') },
  { weight: 1, arbitrary: fc.constant('rob') },
]

/** More inputs than can wait come in between. */
export const crowdedScript = fc
  .tuple(fc.array(fc.oneof(...said), { maxLength: 6 }), fc.array(fc.oneof(...said, ...comings), { maxLength: 6 }))
  .map(([before, after]) => [...before, 'crowd', ...after])

/** An owner that lives on. */
export const quietScript = scriptOf(...said)

/** Owners that come and go. */
export const restartedScript = scriptOf(...said, ...comings)

/** All of that, and a store with troubles. */
export const troubledScript = scriptOf(...said, ...comings, ...troubles)

/** What goes on beside a stop. */
export const stoppingScript = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: withPlan('mail') },
    { weight: 1, arbitrary: withPlan('submit') },
    { weight: 1, arbitrary: answer },
    { weight: 1, arbitrary: withPlace('recall') },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 30 }).map((ticks) => `tick ${ticks}`) },
    { weight: 1, arbitrary: fc.constantFrom('wait 1', 'wait 3', 'clock 60') },
  ),
  { maxLength: 8 },
)
