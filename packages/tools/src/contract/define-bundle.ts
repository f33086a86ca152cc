import type { BindingName, BindingsFor } from './bindings.ts'
import { checkedRequires } from './check-spec.ts'
import { type CompiledTool, compileTool } from './compile-tool.ts'
import type { ToolDefinition } from './definition.ts'
import { DefinitionBuildError } from './errors.ts'
import type { EffectfulToolSpec, Preparation, PureToolSpec } from './tool-spec.ts'

/** A tool of a bundle: it gets the bundle's bindings and deps, so it has no `requires` and no `setup` of its own. */
export type BundledToolSpec<R extends readonly BindingName[], I, D, P extends Preparation> =
  | Omit<PureToolSpec<R, I, D>, 'requires' | 'setup'>
  | Omit<EffectfulToolSpec<R, I, D, P>, 'requires' | 'setup'>

/** Adds one tool to a bundle. */
export type BundleTool<R extends readonly BindingName[], D> = <I, P extends Preparation = Preparation>(
  spec: BundledToolSpec<R, I, D, P>,
) => CompiledTool<R, D>

/** Several tools over one shared state. */
export interface BundleSpec<R extends readonly BindingName[], D> {
  readonly name: string
  readonly requires?: R | undefined
  /** Makes the shared state; runs once per build. Its value is every tool's `context.deps`. */
  readonly setup: (bindings: BindingsFor<R>) => D | Promise<D>
  /** Lists the tools; called once, when the bundle is defined. */
  readonly tools: (tool: BundleTool<R, D>) => readonly CompiledTool<R, D>[]
}

/**
 * Defines several tools that share what one `setup` makes, anew for every build.
 *
 * @throws DefinitionBuildError as `defineTool`; also when it has no tool, or two of one name.
 */
export function defineBundle<const R extends readonly BindingName[] = readonly [], D = undefined>(
  spec: BundleSpec<R, D>,
): ToolDefinition<NoInfer<R>> {
  const { name, setup } = spec
  if (typeof name !== 'string' || name === '' || name.trim() !== name) refuse('bundle', 'name')
  if (typeof setup !== 'function') refuse(name, 'setup')
  // proved: R defaults to the empty tuple when `requires` is absent
  const requires = checkedRequires(name, spec.requires) as unknown as R
  // proved: a bundled spec is a whole spec without the two fields that the bundle provides
  const tools = Object.freeze([...spec.tools((tool) => compileTool(tool as never))])
  const names = new Set(tools.map(({ identity }) => identity.name))
  if (names.size === 0 || names.size !== tools.length) refuse(name, 'tools')
  return Object.freeze({
    name,
    requires,
    produces: Object.freeze(tools.map((tool) => tool.identity)),
    build: async (bindings: BindingsFor<R>) => {
      const deps = await setup(bindings)
      return tools.map((tool) => tool.bind(bindings, deps))
    },
  })
}

function refuse(definition: string, field: string): never {
  throw new DefinitionBuildError('invalid_definition', definition, field)
}
