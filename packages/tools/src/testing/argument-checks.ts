import assert from 'node:assert/strict'
import { refusal, withoutEffect } from './conformance-assertions.ts'
import type { OddText } from './conformance-case.ts'
import { newCall, type Subject } from './conformance-subject.ts'
import {
  argumentSentinel,
  incompleteArguments,
  mistypedArguments,
  type OddArguments,
  oddTextArguments,
} from './odd-arguments.ts'

/** What holds of arguments that a tool must refuse. Each is refused while the call is prepared, with no effect. */
export const argumentChecks: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'refuses arguments that are not a JSON object': async (subject) => {
    for (const argsJson of ['{', '[]', 'null', '"text"', '1', '{"a":1', `${'['.repeat(10_000)}`]) {
      assert.equal((await refusedArguments(subject, { argument: argsJson.slice(0, 8), argsJson })).code, invalid)
    }
  },
  'names an unknown argument and never its value': async (subject) => {
    const argsJson = JSON.stringify({ ...subject.world.args, not_an_argument: argumentSentinel })

    const { code, message } = await refusedArguments(subject, { argument: 'an unknown argument', argsJson })

    assert.equal(code, invalid)
    assert.match(message, /not_an_argument/)
    assertNoValue(message)
  },
  'refuses an argument that every object inherits, and half of a character': async (subject) => {
    const rest = JSON.stringify(subject.world.args).slice(1)
    const open = rest === '}' ? rest : `,${rest}`
    for (const member of ['"__proto__":{"x":1}', '"constructor":1', '"toString":1', '"half":"\\ud83d"']) {
      const argsJson = `{${member}${open}`

      assert.equal((await refusedArguments(subject, { argument: member, argsJson })).code, invalid)
    }
  },
  'names an argument of the wrong type and never its value': async (subject) => {
    for (const odd of mistypedArguments(subject.tool.info.inputSchema, subject.world.args)) {
      const { code, message } = await refusedArguments(subject, odd)

      assert.equal(code, invalid)
      assert.ok(message.includes(odd.argument), `the message must name ${odd.argument}`)
      assertNoValue(message)
    }
  },
  'names a required argument that is missing': async (subject) => {
    for (const odd of incompleteArguments(subject.tool.info.inputSchema, subject.world.args)) {
      const { code, message } = await refusedArguments(subject, odd)

      assert.equal(code, invalid)
      assert.ok(message.includes(odd.argument), `the message must name ${odd.argument}`)
    }
  },
  'refuses control bytes in a text argument': (subject) => refusesOddText(subject, 'control'),
  'refuses an overlong text argument': (subject) => refusesOddText(subject, 'overlong'),
  'refuses an empty text argument': (subject) => refusesOddText(subject, 'empty'),
}

const invalid = 'invalid_arguments'

async function refusesOddText(subject: Subject, odd: OddText): Promise<void> {
  const { accepts = {} } = subject.case
  for (const variant of oddTextArguments(subject.tool.info.inputSchema, subject.world.args, odd)) {
    if (accepts[variant.argument]?.includes(odd) === true) await acceptedArguments(subject, variant)
    else await refusedArguments(subject, variant)
  }
}

function refusedArguments(subject: Subject, { argument, argsJson }: OddArguments) {
  const what = `${argument}: what is wrong with it`
  return withoutEffect(subject, () => refusal(subject, subject.tool.prepareCall(newCall(), argsJson), what), what)
}

/** What a tool takes is prepared like any other: with no effect, and without a failure. */
async function acceptedArguments(subject: Subject, { argument, argsJson }: OddArguments): Promise<void> {
  await withoutEffect(subject, () => subject.tool.prepareCall(newCall(), argsJson), argument)
}

function assertNoValue(message: string): void {
  assert.ok(!message.includes(argumentSentinel), 'the message must not tell the value')
}
