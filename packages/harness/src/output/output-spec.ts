import type { OutputStrategyName, ToolSpec } from '@looprig/inference'
import {
  type BindingIdentity,
  buildTools,
  DefinitionBuildError,
  defineTool,
  type InputSchema,
  type Tool,
  type ToolDefinition,
  textResult,
} from '@looprig/tools'
import { DefinitionError } from '../error/errors.ts'

/** The answer that every turn of a loop must end with: data of one shape instead of a text. */
export interface OutputSpec<T> {
  /**
   * An object: a zod schema, or a JSON Schema with its parser, as for the arguments of a tool. What it parses to must be
   * JSON data; it becomes `TurnResult.output`.
   */
  readonly schema: InputSchema<T>
  /** For the model: what the answer is for. */
  readonly description?: string | undefined
  /**
   * How the model is made to give it: the provider holds its text to the schema (`native`), it must call a tool with it
   * (`tool`), or it is told to (`prompt`). Default: the first of these that the model of a turn can; where the turn has
   * tools too, `tool` first. A turn whose model cannot do what is chosen fails with `output_unsupported`.
   */
  readonly strategy?: OutputStrategyName | undefined
}

/** The name of the tool by which a model gives its output. No tool of a loop may have it. */
export const finalOutputName = 'final_output'

const defaultDescription =
  'Gives the final answer and ends the turn. Call it alone, once, when nothing is left to do; write no other answer.'

const strategies: readonly OutputStrategyName[] = ['native', 'tool', 'prompt']

/** An output made ready once. */
export class CompiledOutput {
  /** SHA-256 of the schema's canonical JSON. */
  readonly schemaDigest: string
  /** What was chosen. */
  readonly strategy: OutputStrategyName | undefined
  /** What was said of it. */
  readonly description: string | undefined
  readonly #definition: ToolDefinition
  readonly #lists = new WeakMap<readonly ToolSpec[], readonly ToolSpec[]>()

  constructor(
    definition: ToolDefinition,
    { strategy, description }: Pick<OutputSpec<unknown>, 'strategy' | 'description'>,
  ) {
    this.#definition = definition
    this.strategy = strategy
    this.description = description
    this.schemaDigest = definition.produces[0]?.schemaDigest ?? ''
    Object.freeze(this)
  }

  /** Makes the tool that parses what the model gives. It is never run. */
  async open(identity: BindingIdentity): Promise<Tool | undefined> {
    const [tool] = await buildTools(this.#definition, identity)
    return tool
  }

  /** A loop's tools and the output's: the same list for the same tools, so that an encoder writes it once. */
  listWith(tools: readonly ToolSpec[], { info }: Tool): readonly ToolSpec[] {
    let list = this.#lists.get(tools)
    if (list === undefined) {
      const { name, description, inputSchema } = info
      list = Object.freeze([...tools, Object.freeze({ name, description, inputSchema })])
      this.#lists.set(tools, list)
    }
    return list
  }
}

/**
 * Checks an output.
 *
 * @throws DefinitionError `output.schema`, `output.description`, `output.strategy`.
 */
export function compileOutput<T>(output: OutputSpec<T>): CompiledOutput {
  const { schema, description, strategy } = output
  if (description !== undefined && typeof description !== 'string')
    throw new DefinitionError('output.description', 'expected a text')
  if (strategy !== undefined && !strategies.includes(strategy)) {
    throw new DefinitionError('output.strategy', "expected 'native', 'tool' or 'prompt'")
  }
  if (typeof schema !== 'object' || schema === null) throw new DefinitionError('output.schema', 'expected a schema')
  try {
    return new CompiledOutput(
      defineTool({
        name: finalOutputName,
        description: description ?? defaultDescription,
        pure: true,
        inputSchema: schema,
        run: () => textResult(''),
      }),
      { strategy, description },
    )
  } catch (cause) {
    if (!(cause instanceof DefinitionBuildError)) throw cause
    throw new DefinitionError('output.schema', 'expected an object schema that can be shown to a model', { cause })
  }
}
