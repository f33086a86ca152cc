import assert from 'node:assert/strict'
import { isLooprigError, type JsonValue } from '@looprig/core'
import { buildTools } from '../contract/build-tools.ts'
import type { ToolResult } from '../contract/result.ts'
import { validateRequest } from '../contract/validate-request.ts'
import {
  buildCase,
  type ContractCase,
  newBindings,
  newCall,
  runCase,
  sealFor,
  type ToolContractWorld,
} from './contract-world.ts'

/** The two functions of a test runner that the suite uses. */
export interface TestRegistrar {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
}

/** The definition that is put to the test. */
export interface ToolContractSubject {
  /** How the suite is titled. */
  readonly name: string
  /** Makes the world of one test; called anew for each. */
  readonly open: () => ToolContractWorld | Promise<ToolContractWorld>
}

type Check = (subject: ContractCase) => Promise<void>

/**
 * Proves that a definition keeps the tool contract: fresh instances, no effect before a genuine seal, frozen
 * artifacts, errors that a model can read. Registers its tests with the given runner; imports none itself.
 */
export function runToolContract({ describe, it }: TestRegistrar, subject: ToolContractSubject): void {
  describe(`${subject.name} (tool contract)`, () => {
    for (const [name, check] of Object.entries(checks)) it(name, () => runCheck(subject, check))
  })
}

async function runCheck(subject: ToolContractSubject, check: Check): Promise<void> {
  const world = await subject.open()
  try {
    await check(await buildCase(world))
  } finally {
    await world.close?.()
  }
}

const checks: Readonly<Record<string, Check>> = {
  'builds fresh instances of the tools that it says': async ({ world, tool }) => {
    const again = await buildTools(world.definition, newBindings(world))

    assert.ok(!again.includes(tool), 'two builds must share no instance')
  },
  'refuses arguments that are not a JSON object': async ({ tool }) => {
    for (const argsJson of ['{', '[]', 'null', '"text"', '1']) {
      await assert.rejects(tool.prepareCall(newCall(), argsJson), hasCode('invalid_arguments'))
    }
  },
  'names an unknown argument and never its value': async ({ world, tool }) => {
    const argsJson = JSON.stringify({ ...world.args, not_an_argument: 'SENTINEL' })

    const error = await rejection(tool.prepareCall(newCall(), argsJson))

    assert.ok(hasCode('invalid_arguments')(error), 'the code must be invalid_arguments')
    assert.match(String(error), /not_an_argument/)
    assert.doesNotMatch(String(error), /SENTINEL/)
  },
  'prepares a valid request and a frozen artifact, without any effect': async ({ world, tool, argsJson }) => {
    const before = world.observe?.()

    const { request, artifact } = await tool.prepareCall(newCall(), argsJson)

    validateRequest(request)
    assert.equal(request.toolName, tool.info.name)
    assertDeepFrozen(request, 'request')
    assertDeepFrozen(artifact, 'artifact')
    assert.deepEqual(JSON.parse(JSON.stringify(artifact)), artifact, 'the artifact must be plain JSON data')
    assert.deepEqual(world.observe?.(), before, 'preparing must change nothing')
  },
  'runs the sealed call': async (subject) => {
    assertResult(await runCase(subject), false)
  },
  'ignores the arguments that come with the run': async (subject) => {
    assertResult(await runCase(subject, '{"not":"these"}'), false)
  },
  'refuses a missing or copied seal, without any effect': async ({ world, tool, argsJson }) => {
    const call = newCall()
    const sealed = sealFor(call, await tool.prepareCall(call, argsJson))
    const before = world.observe?.()

    for (const prepared of [
      undefined,
      { ...sealed },
      structuredClone(sealed),
      Object.create(sealed),
      new Proxy(sealed, {}),
    ]) {
      assertDenied(await tool.invoke({ ...call, prepared }, argsJson))
    }
    assert.deepEqual(world.observe?.(), before, 'a refused seal must change nothing')
  },
  'refuses the seal of another call, without any effect': async ({ world, tool, argsJson }) => {
    const call = newCall()
    const sealed = sealFor(call, await tool.prepareCall(call, argsJson))
    const before = world.observe?.()

    assertDenied(await tool.invoke({ ...newCall(), prepared: sealed }, argsJson))
    assert.deepEqual(world.observe?.(), before, 'a refused seal must change nothing')
  },
  'refuses a seal that was used, without a second effect': async ({ world, tool, argsJson }) => {
    const call = newCall()
    const sealed = sealFor(call, await tool.prepareCall(call, argsJson))
    await tool.invoke({ ...call, prepared: sealed }, argsJson)
    const before = world.observe?.()

    assertDenied(await tool.invoke({ ...call, prepared: sealed }, argsJson))
    assert.deepEqual(world.observe?.(), before, 'a used seal must change nothing')
  },
  'answers a call that is aborted with a result': async ({ tool, argsJson }) => {
    const call = newCall()
    const sealed = sealFor(call, await tool.prepareCall(call, argsJson))

    const result = await tool.invoke({ ...call, signal: AbortSignal.abort(), prepared: sealed }, argsJson)

    assertResult(result, result.isError)
  },
  'tells one bounded line for audits': async ({ tool, argsJson }) => {
    const { artifact } = await tool.prepareCall(newCall(), argsJson)

    const line = tool.auditSummary(artifact)

    assert.match(line, /^[^\n\r]{1,1000}$/)
    assert.equal(tool.writeTarget(artifact), tool.writeTarget(artifact), 'the write target must be stable')
  },
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => isLooprigError(error) && error.code === code
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new assert.AssertionError({ message: 'the call must be refused' })
}

function assertDenied(result: ToolResult): void {
  assertResult(result, true)
  assert.equal(result.code, 'permission_denied')
}

function assertResult(result: ToolResult, isError: boolean): void {
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  assert.equal(result.isError, isError, text)
  assert.ok(result.content.length > 0, 'a result must have content')
  assert.ok(text.isWellFormed(), 'the text must hold no half of a surrogate pair')
  assert.deepEqual(JSON.parse(JSON.stringify(result)), result, 'the result must be plain JSON data')
  if (result.code !== undefined) assert.match(result.code, /^[a-z][a-z0-9_]*$/)
}

function assertDeepFrozen(value: JsonValue | object, path: string): void {
  if (typeof value !== 'object' || value === null) return
  assert.ok(Object.isFrozen(value), `${path} must be frozen`)
  for (const [key, part] of Object.entries(value)) assertDeepFrozen(part, `${path}.${key}`)
}
