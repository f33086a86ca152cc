import { isBindingName } from './attenuate-bindings.ts'
import type { ToolDefinition } from './definition.ts'
import { DefinitionBuildError } from './errors.ts'

/**
 * Checks a definition before it is bound: one that was written by hand, or by another version of this package, may lack
 * anything.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the field at fault.
 */
export function checkDefinition(definition: ToolDefinition): void {
  const { name, requires, produces, build } = definition ?? {}
  if (typeof name !== 'string' || name === '' || name.trim() !== name) refuse('definition', 'name')
  if (typeof build !== 'function') refuse(name, 'build')
  if (!Array.isArray(requires) || !requires.every(isBindingName)) refuse(name, 'requires')
  if (!Array.isArray(produces) || produces.length === 0) refuse(name, 'produces')
  const seen = new Set<string>()
  for (const [index, tool] of produces.entries()) {
    const produced: unknown = tool?.name
    const isNamed = typeof produced === 'string' && produced !== '' && produced.trim() === produced
    if (!isNamed || seen.has(produced)) refuse(name, `produces[${index}].name`)
    if (typeof tool.schemaDigest !== 'string') refuse(name, `produces[${index}].schemaDigest`)
    seen.add(produced)
  }
}

function refuse(definition: string, field: string): never {
  throw new DefinitionBuildError('invalid_definition', definition, field)
}
