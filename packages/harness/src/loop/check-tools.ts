import type { ToolDefinition } from '@looprig/tools'
import { isAgentToolName } from '../delegate/agent-tool-names.ts'
import { DefinitionError } from '../error/errors.ts'
import { finalOutputName } from '../output/output-spec.ts'

/**
 * Checks a list of tool definitions that one agent is to have at the same time.
 *
 * @throws DefinitionError naming the entry at fault.
 */
export function checkTools(tools: readonly ToolDefinition[], field: string): void {
  if (!Array.isArray(tools)) throw new DefinitionError(field, 'expected a list')
  const seen = new Set<string>()
  for (const [index, definition] of (tools as readonly ToolDefinition[]).entries()) {
    const at = `${field}[${index}]`
    if (typeof definition?.build !== 'function') throw new DefinitionError(at, 'expected a definition')
    for (const { name } of definition.produces) {
      if (name === finalOutputName || isAgentToolName(name))
        throw new DefinitionError(at, `the name ${name} is reserved`)
      if (seen.has(name)) throw new DefinitionError(at, `a second tool named ${name}`)
      seen.add(name)
    }
  }
}
