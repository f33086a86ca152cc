import type { ToolDefinition } from '../contract/definition.ts'
import { argumentChecks } from './argument-checks.ts'
import { buildChecks } from './build-checks.ts'
import { callChecks } from './call-checks.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { buildSubject, type Subject } from './conformance-subject.ts'
import { checkFailure } from './failure-check.ts'
import { sealChecks } from './seal-checks.ts'

/** The two functions of a test runner that the suite uses. */
export interface TestRegistrar {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
}

/**
 * Proves that a definition keeps the tool contract: fresh instances, no effect before a genuine seal, frozen artifacts,
 * refusals and results that a model can read and that tell no secret. Registers its tests with the given runner; imports
 * none itself. Every test builds the tool anew, in a world of its own.
 *
 * Give a case for each kind of call that succeeds, and one that `fails` for each way to fail.
 *
 * @param definition - what is put to the test; a world may bring its own in its place.
 */
export function runToolConformance(
  definition: ToolDefinition,
  cases: readonly ConformanceCase[],
  { describe, it }: TestRegistrar,
): void {
  if (cases.length === 0) throw new TypeError('cases: expected at least one')
  describe(`${definition.name} (tool conformance)`, () => {
    for (const each of cases) {
      describe(each.name, () => {
        for (const [title, check] of checksOf(each)) it(title, () => runCheck(definition, each, check))
      })
    }
  })
}

type Check = (subject: Subject) => Promise<void>

const wholeSuite: readonly [string, Check][] = Object.entries({
  ...buildChecks,
  ...argumentChecks,
  ...callChecks,
  ...sealChecks,
})

function checksOf({ fails }: ConformanceCase): readonly [string, Check][] {
  if (fails === undefined) return wholeSuite
  return [[`fails with ${fails}, tells no sentinel and changes nothing`, checkFailure]]
}

async function runCheck(definition: ToolDefinition, each: ConformanceCase, check: Check): Promise<void> {
  const world = await each.open()
  try {
    await check(await buildSubject(definition, each, world))
  } finally {
    await world.close?.()
  }
}
