import type { InferenceClient, Model } from '@looprig/inference'
import type { ToolDefinition } from '@looprig/tools'
import { type ContextPolicy, type ContextPolicyOptions, resolveContextPolicy } from '../context/context-policy.ts'
import { checkDelegates, type DelegateOptions, type LoopDelegates } from '../delegate/loop-delegates.ts'
import { DefinitionError } from '../error/errors.ts'
import type { Gate } from '../gate/gate.ts'
import { checkMiddlewares } from '../middleware/check-middlewares.ts'
import type { ToolMiddleware } from '../middleware/tool-middleware.ts'
import { type CompiledOutput, compileOutput, type OutputSpec } from '../output/output-spec.ts'
import { checkRuntimeContext, type RuntimeContext } from '../runtime-context/runtime-context.ts'
import { checkTools } from './check-tools.ts'
import { costFault } from './effective-loop.ts'
import { type LimitOptions, type LoopLimits, resolveLimits } from './limits.ts'
import { type DefinedMode, defineModes, type LoopMode } from './loop-mode.ts'
import { copyModel } from './model-schema.ts'

/** What a loop is made of. */
export interface LoopOptions extends DelegateOptions {
  /** Stable; letters, digits, `_` and `-`. It finds the loop again on restore. */
  readonly name: string
  /** The model's instructions. Default: none. */
  readonly system?: string | undefined
  readonly client: InferenceClient
  readonly model: Model
  /** Their tools' names must differ. Default: none. */
  readonly tools?: readonly ToolDefinition[] | undefined
  /** Decides on calls that need access. Without one every such call is denied. */
  readonly gate?: Gate | undefined
  readonly limits?: LimitOptions | undefined
  /** How long an interrupted tool may take to end before its outcome counts as unknown. Default 5,000 ms, at most a day. */
  readonly drainTimeoutMs?: number | undefined
  /** Other ways in which the loop can work; `session.setMode` changes between them. At most 64, names differ. */
  readonly modes?: readonly LoopMode[] | undefined
  /** The mode in which a new session begins; `''` is the loop as it is. Needed as soon as there are modes. */
  readonly initialMode?: string | undefined
  /** Stand around every call that runs, the first one outermost. Default: none. */
  readonly middlewares?: readonly ToolMiddleware[] | undefined
  /** What the model should know of the moment of each turn; sent behind the transcript and never kept. */
  readonly runtimeContext?: RuntimeContext | undefined
  /** Every turn ends with data of this shape, in `TurnResult.output`, instead of a text. */
  readonly output?: OutputSpec<unknown> | undefined
  /**
   * Watches how full the model's window is and folds the older part of the history into a summary before it overflows;
   * `{}` for the defaults. Default: none, then a history that is too long fails the turn with `context_overflow`.
   */
  readonly context?: ContextPolicyOptions | undefined
}

/** The frozen recipe of one agent. Any number of sessions can share it. */
export interface LoopDefinition extends LoopDelegates {
  readonly name: string
  readonly system: string
  readonly client: InferenceClient
  readonly model: Model
  readonly tools: readonly ToolDefinition[]
  readonly gate: Gate | undefined
  readonly limits: LoopLimits
  readonly drainTimeoutMs: number
  readonly modes: readonly DefinedMode[]
  /** `''`: the base mode. */
  readonly initialMode: string
  readonly middlewares: readonly ToolMiddleware[]
  readonly runtimeContext: RuntimeContext | undefined
  readonly output: CompiledOutput | undefined
  readonly context: ContextPolicy | undefined
}

/** One day; timers of more than 24 days fire at once. */
const maxDrainTimeoutMs = 86_400_000

const loopName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/**
 * Defines one agent. The caller's objects are copied, except the client, the gate and the tool definitions.
 *
 * @throws DefinitionError naming the option at fault.
 */
export function defineLoop(options: LoopOptions): LoopDefinition {
  const { name, system = '', client, model, tools = [], gate, drainTimeoutMs = 5_000 } = options
  if (typeof name !== 'string' || !loopName.test(name))
    throw new DefinitionError('name', 'expected 1 to 64 letters, digits, _ or -')
  if (typeof system !== 'string') throw new DefinitionError('system', 'expected a text')
  if (typeof client?.stream !== 'function') throw new DefinitionError('client', 'expected an inference client')
  if (!model?.name || !model.provider) throw new DefinitionError('model', 'expected a model with provider and name')
  if (!(drainTimeoutMs >= 0 && drainTimeoutMs <= maxDrainTimeoutMs)) {
    throw new DefinitionError('drainTimeoutMs', `expected 0 to ${maxDrainTimeoutMs} milliseconds`)
  }
  checkTools(tools, 'tools')
  const base = {
    system,
    model: copyModel('model', model),
    tools: Object.freeze([...tools]),
    limits: resolveLimits(options.limits),
  }
  const modes = defineModes(options.modes ?? [], base)
  const initialMode = checkInitialMode(modes, options.initialMode)
  const definition = Object.freeze({
    ...base,
    name,
    client,
    gate,
    drainTimeoutMs,
    modes,
    initialMode,
    middlewares: checkMiddlewares(options.middlewares),
    runtimeContext: checkRuntimeContext(options.runtimeContext),
    context: options.context === undefined ? undefined : resolveContextPolicy(options.context, model),
    output: options.output === undefined ? undefined : compileOutput(options.output),
    ...checkDelegates(options),
  })
  checkCosts(definition)
  return definition
}

function checkInitialMode(modes: readonly DefinedMode[], initialMode: string | undefined): string {
  if (initialMode === undefined && modes.length === 0) return ''
  const names = ['', ...modes.map(({ name }) => name)]
  if (initialMode !== undefined && names.includes(initialMode)) return initialMode
  throw new DefinitionError('initialMode', `expected one of ${names.map((name) => `'${name}'`).join(', ')}`)
}

function checkCosts(definition: LoopDefinition): void {
  for (const [index, mode] of ['', ...definition.modes.map(({ name }) => name)].entries()) {
    const fault = costFault(definition, { mode })
    if (fault !== undefined)
      throw new DefinitionError(index === 0 ? 'limits.cost' : `modes[${index - 1}].limits.cost`, fault)
  }
}
