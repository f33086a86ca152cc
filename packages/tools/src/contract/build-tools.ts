import { attenuateBindings } from './attenuate-bindings.ts'
import type { AvailableBindings } from './bindings.ts'
import { checkBuiltTools } from './check-built-tools.ts'
import { checkDefinition } from './check-definition.ts'
import type { ToolDefinition } from './definition.ts'
import { DefinitionBuildError } from './errors.ts'
import type { Tool } from './tool.ts'

/**
 * Builds a definition's tools. It gets the bindings that it requires and no other; what is left out of the workspace
 * that is offered is made anew.
 *
 * @throws DefinitionBuildError before any tool is handed out: `missing_dependency` and `invalid_binding` name what was
 *   not there or is not usable, `setup_failed` carries the cause; `invalid_definition`, and `invalid_tool` and
 *   `produced_names_mismatch` when it yields other tools than it said.
 */
export async function buildTools(definition: ToolDefinition, available: AvailableBindings): Promise<readonly Tool[]> {
  checkDefinition(definition)
  const bindings = attenuateBindings(definition, available)
  let tools: unknown
  try {
    tools = await definition.build(bindings)
  } catch (cause) {
    if (cause instanceof DefinitionBuildError) throw cause
    throw new DefinitionBuildError('setup_failed', definition.name, 'setup', { cause })
  }
  return checkBuiltTools(definition, tools)
}
