import type { AvailableBindings, BindingName, BindingsFor } from './bindings.ts'
import type { ToolDefinition } from './definition.ts'
import { DefinitionBuildError } from './errors.ts'
import type { Tool } from './tool.ts'

/**
 * Builds a definition's tools. It gets the bindings that it requires and no other.
 *
 * @throws DefinitionBuildError before any tool exists: `missing_dependency` names what was not there, `setup_failed`
 *   carries the cause, `invalid_definition` when it yields other tools than it said.
 */
export async function buildTools(definition: ToolDefinition, available: AvailableBindings): Promise<readonly Tool[]> {
  const bindings = attenuate(definition, available)
  let tools: readonly Tool[]
  try {
    tools = await definition.build(bindings)
  } catch (cause) {
    if (cause instanceof DefinitionBuildError) throw cause
    throw new DefinitionBuildError('setup_failed', definition.name, 'setup', { cause })
  }
  const said = definition.produces.map((tool) => `${tool.name} ${tool.schemaDigest}`)
  const built = tools.map((tool) => `${tool.info.name} ${tool.info.schemaDigest}`)
  if (said.length !== built.length || said.some((tool, index) => tool !== built[index])) {
    throw new DefinitionBuildError('invalid_definition', definition.name, 'produces')
  }
  return tools
}

function attenuate(definition: ToolDefinition, available: AvailableBindings): BindingsFor<readonly BindingName[]> {
  const { sessionId, loopId } = available
  const bindings: { [key: string]: unknown } = { sessionId, loopId }
  for (const name of definition.requires) {
    const binding = available[name]
    if (binding === undefined) throw new DefinitionBuildError('missing_dependency', definition.name, name)
    bindings[name] = binding
  }
  return Object.freeze(bindings) as unknown as BindingsFor<readonly BindingName[]> // proved: each name was bound above
}
