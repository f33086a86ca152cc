import type { BindingName, BindingsFor } from './bindings.ts'
import { compileTool } from './compile-tool.ts'
import type { ToolDefinition } from './definition.ts'
import type { Preparation, ToolSpec } from './tool-spec.ts'

/**
 * Defines one tool. Write `setup`, `prepare`, `run` in that order: types flow downwards.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the field at fault: name, description or schema cannot be
 *   shown to a model, `requires` names no binding, or the tool is neither `pure` nor has `prepare`.
 */
export function defineTool<
  const R extends readonly BindingName[] = readonly [],
  I = unknown,
  D = undefined,
  P extends Preparation = Preparation,
>(spec: ToolSpec<R, I, D, P>): ToolDefinition<NoInfer<R>> {
  const compiled = compileTool(spec)
  return Object.freeze({
    name: spec.name,
    requires: compiled.requires,
    produces: Object.freeze([compiled.identity]),
    build: async (bindings: BindingsFor<R>) => [compiled.bind(bindings, await compiled.setup(bindings))],
  })
}
