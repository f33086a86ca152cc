import assert from 'node:assert/strict'
import { isLooprigError } from '@looprig/core'
import { buildTools } from '../contract/build-tools.ts'
import { assertDeepFrozen } from './conformance-assertions.ts'
import type { Subject } from './conformance-subject.ts'

/** What holds of building, whatever is called. */
export const buildChecks: Readonly<Record<string, (subject: Subject) => Promise<void>>> = {
  'builds fresh instances of the tools that it says, also of concurrent builds': async (subject) => {
    const { definition, available } = subject
    const builds = await Promise.all([buildTools(definition, available), buildTools(definition, available)])

    const all = [subject.tool, ...builds.flat()]
    assert.equal(new Set(all).size, all.length, 'two builds must share no instance')
    for (const built of builds) {
      assert.deepEqual(
        built.map(({ info: { name, schemaDigest } }) => ({ name, schemaDigest })),
        definition.produces.map(({ name, schemaDigest }) => ({ name, schemaDigest })),
      )
    }
  },
  'is not built without something that it requires': async ({ definition, available }) => {
    for (const name of definition.requires) {
      await assert.rejects(
        buildTools(definition, { ...available, [name]: undefined }),
        (error) => isLooprigError(error) && error.code === 'missing_dependency',
        `${name} is required`,
      )
    }
  },
  'describes itself with frozen data and plain words': async ({ tool }) => {
    assert.match(tool.info.name, /^[A-Za-z][A-Za-z0-9_-]{0,63}$/)
    assert.ok(tool.info.description.trim() !== '', 'a tool must have a description')
    assert.equal(tool.info.inputSchema.type, 'object')
    assertDeepFrozen(tool.info, 'info')
    assert.equal(typeof tool.replaySafe, 'boolean')
    assert.equal(typeof tool.sequential, 'boolean')
  },
}
