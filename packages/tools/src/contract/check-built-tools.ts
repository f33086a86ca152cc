import type { ToolDefinition } from './definition.ts'
import { DefinitionBuildError } from './errors.ts'
import type { Tool } from './tool.ts'

const methods = ['prepareCall', 'invoke', 'writeTarget', 'auditSummary'] as const

/**
 * Checks what a definition built, before anybody gets a tool of it; gives a copy of the list.
 *
 * @throws DefinitionBuildError `invalid_tool` naming the first that is none; `produced_names_mismatch` with both lists;
 *   `invalid_definition` when the arguments of a tool are not those that the definition declares.
 */
export function checkBuiltTools(definition: ToolDefinition, built: unknown): readonly Tool[] {
  if (!Array.isArray(built)) throw new DefinitionBuildError('invalid_tool', definition.name, 'tools')
  const tools = built.map((tool: unknown, index) => readTool(definition.name, tool, `tools[${index}]`))
  const declared = definition.produces.map(({ name }) => name)
  const actual = tools.map(({ info }) => info.name)
  if (declared.length !== actual.length || declared.some((name, index) => name !== actual[index])) {
    throw new DefinitionBuildError('produced_names_mismatch', definition.name, 'produces', { declared, actual })
  }
  for (const [index, { schemaDigest }] of definition.produces.entries()) {
    if (tools[index]?.info.schemaDigest === schemaDigest) continue
    throw new DefinitionBuildError('invalid_definition', definition.name, `produces[${index}].schemaDigest`)
  }
  return Object.freeze(tools)
}

function readTool(definition: string, tool: unknown, field: string): Tool {
  if (typeof tool !== 'object' || tool === null) throw new DefinitionBuildError('invalid_tool', definition, field)
  for (const method of methods) {
    if (typeof Reflect.get(tool, method) !== 'function') {
      throw new DefinitionBuildError('invalid_tool', definition, `${field}.${method}`)
    }
  }
  if (!hasInfo(tool)) throw new DefinitionBuildError('invalid_tool', definition, `${field}.info`)
  return tool as Tool // proved: its methods and its info were looked at
}

function hasInfo(tool: object): boolean {
  try {
    const info: unknown = Reflect.get(tool, 'info')
    if (typeof info !== 'object' || info === null) return false
    const { name, schemaDigest, inputSchema } = info as { [key: string]: unknown } // proved: it is an object
    const isNamed = typeof name === 'string' && name !== '' && name.trim() === name
    return isNamed && typeof schemaDigest === 'string' && typeof inputSchema === 'object' && inputSchema !== null
  } catch {
    return false // it fails at being looked at
  }
}
