import { join } from 'node:path'
import type { JsonObject } from '@looprig/core'
import { buildTools, type Requirement, type SessionResources, type ToolDefinition } from '@looprig/tools'
import { permissionStore } from '@looprig/tools/permission'
import { bashDefinition, directRunner } from '@looprig/tools/process'
import { createFixedSearch, createGuardedClient, fetchDefinition, webSearchDefinition } from '@looprig/tools/web'
import { expect, it } from 'vitest'
import { newContext, newIdentity } from '../support/call-tool.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

/** The network requirements of one call, prepared as a runtime does. */
async function networkOf(definition: ToolDefinition, root: string, args: JsonObject): Promise<readonly Requirement[]> {
  const resources: SessionResources = { getOrCreate: (_key, create) => create(root) }
  const [tool] = await buildTools(definition, { ...newIdentity(), workspace: { root }, processes: { resources } })
  if (tool === undefined) throw new Error('the definition has no tool')
  const { request } = await tool.prepareCall(newContext(), JSON.stringify(args))
  return request.requirements.filter(({ kind }) => kind === 'network')
}

it('one rule that a person saves for a host and a port satisfies Fetch, WebSearch and Bash', async () => {
  const root = await tempWorkspace()
  const store = await permissionStore({ path: join(root, 'rules.json') })
  const provider = createFixedSearch([], { host: 'Search.Example', port: 443 })
  const search = await networkOf(webSearchDefinition({ provider }), root, { query: 'fish' })
  const fetch = await networkOf(fetchDefinition({ client: createGuardedClient() }), root, {
    url: 'https://search.example/a?b=c',
    method: 'POST',
  })
  const bash = await networkOf(bashDefinition({ resolver: () => directRunner({ environment: {} }) }), root, {
    command: 'curl https://search.example/',
    access: { network: [{ host: 'search.example', port: 443 }] },
  })
  const elsewhere = await networkOf(fetchDefinition({ client: createGuardedClient() }), root, {
    url: 'http://search.example/',
    method: 'GET',
  })

  await store.writeRules(search[0]?.candidates ?? [])

  const asked = [...search, ...fetch, ...bash]
  expect(asked).toHaveLength(3)
  for (const requirement of asked) expect(await store.allows(requirement)).toMatchObject({ effect: 'allow' })
  for (const requirement of elsewhere) expect(await store.allows(requirement)).toBeUndefined()
})
