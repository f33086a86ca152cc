import type { JsonValue } from '@looprig/core'
import { auditLine } from './audit-line.ts'
import type { BindingName, BindingsFor } from './bindings.ts'
import { checkedRequires, checkSpec } from './check-spec.ts'
import { CheckedPreparation } from './checked-preparation.ts'
import type { ToolIdentity } from './definition.ts'
import { type CompiledSchema, compileSchema } from './input-schema.ts'
import { frozenJsonCopy } from './json-copy.ts'
import { openPreparedCall, type SealRefusal } from './prepared-call.ts'
import { boundPreview } from './preview.ts'
import { type UserQuestion, validateQuestion } from './question.ts'
import type { ToolRequest } from './request.ts'
import { contractError, type ToolResult, thrownResult } from './result.ts'
import type { CallContext, InvokeContext, PreparedRequest, Tool, ToolInfo } from './tool.ts'
import type { Frozen, Preparation, RunContext, ToolSpec } from './tool-spec.ts'
import { validateRequest } from './validate-request.ts'

/** A spec checked and made ready once; `bind` makes an instance. */
export interface CompiledTool<R extends readonly BindingName[], D> {
  readonly identity: ToolIdentity
  readonly requires: R
  setup(bindings: BindingsFor<R>): Promise<D>
  bind(bindings: BindingsFor<R>, deps: D): Tool
}

/** Checks a spec; what is not valid fails here, before anything is built. */
export function compileTool<const R extends readonly BindingName[], I, D, P extends Preparation>(
  given: ToolSpec<R, I, D, P>,
): CompiledTool<R, D> {
  const spec = { ...given } // a definition does not change when its spec does
  checkSpec(spec)
  const requires = checkedRequires(spec.name, spec.requires)
  const schema = compileSchema(spec.name, spec.inputSchema)
  const info: ToolInfo = Object.freeze({
    name: spec.name,
    description: spec.description,
    inputSchema: schema.jsonSchema,
    schemaDigest: schema.digest,
  })
  return {
    identity: Object.freeze({ name: info.name, schemaDigest: info.schemaDigest }),
    // proved: R defaults to the empty tuple when `requires` is absent
    requires: requires as unknown as R,
    // proved: D is undefined when there is no setup
    setup: async (bindings) => (spec.setup === undefined ? (undefined as D) : await spec.setup(bindings)),
    bind: (bindings, deps) => new BoundTool(spec, info, schema, bindings, deps),
  }
}

class BoundTool<R extends readonly BindingName[], I, D, P extends Preparation> implements Tool {
  readonly info: ToolInfo
  readonly replaySafe: boolean
  readonly sequential: boolean
  readonly timeoutMs: number | undefined
  readonly #spec: ToolSpec<R, I, D, P>
  readonly #schema: CompiledSchema<I>
  readonly #bindings: BindingsFor<R>
  readonly #deps: D
  #pureRequest: ToolRequest | undefined

  constructor(
    spec: ToolSpec<R, I, D, P>,
    info: ToolInfo,
    schema: CompiledSchema<I>,
    bindings: BindingsFor<R>,
    deps: D,
  ) {
    this.info = info
    this.replaySafe = spec.pure === true || spec.replaySafe === true
    this.sequential = spec.sequential === true
    this.timeoutMs = spec.timeoutMs
    this.#spec = spec
    this.#schema = schema
    this.#bindings = bindings
    this.#deps = deps
  }

  async prepareCall(context: CallContext, argsJson: string): Promise<PreparedRequest> {
    const input = this.#schema.parse(argsJson)
    const spec = this.#spec
    if (spec.pure === true) {
      // the same for every call
      this.#pureRequest ??= this.#request({ summary: spec.name, requirements: [] })
      return new CheckedPreparation({ request: this.#pureRequest, artifact: frozenJsonCopy(input) })
    }
    const preparation = await spec.prepare(input, this.#context(context))
    const { question, preview } = preparation
    return new CheckedPreparation({
      request: this.#request(preparation),
      artifact: frozenJsonCopy(preparation.artifact),
      question: question && frozenQuestion(question),
      preview: preview && boundPreview(preview),
    })
  }

  async invoke(context: InvokeContext, _argsJson: string): Promise<ToolResult> {
    const opened = openPreparedCall(context.prepared, context.executionId, this.info.name)
    if (typeof opened === 'string') return refusedSeal(this.info.name, opened)
    try {
      const { executionId, toolUseId, signal, requestUserInput, progress } = context
      if (signal.aborted) return contractError('interrupted', stoppedBefore)
      const runContext: RunContext<R, D> = {
        executionId,
        toolUseId,
        signal,
        deps: this.#deps,
        grants: opened.grants,
        ...(requestUserInput === undefined ? {} : { requestUserInput }),
        ...(progress === undefined ? {} : { progress }),
        ...this.#bindings,
      }
      // proved: `prepareCall` of this very spec made the artifact, and the seal froze it
      return await this.#spec.run(opened.artifact as Frozen<I> & Frozen<P['artifact']>, runContext)
    } catch (error) {
      return thrownResult(error)
    }
  }

  // proved for both casts: the runtime hands back what `prepareCall` of this spec made
  writeTarget(artifact: JsonValue): string | undefined {
    if (this.#spec.pure === true) return undefined
    return this.#spec.writeTarget?.(artifact as Frozen<P['artifact']>)
  }

  auditSummary(artifact: JsonValue): string {
    const spec = this.#spec
    if (spec.pure === true || spec.auditSummary === undefined) return this.info.name
    try {
      return auditLine(spec.auditSummary(artifact as Frozen<P['artifact']>), this.info.name)
    } catch {
      return this.info.name // a log line is no reason to refuse a call
    }
  }

  #request(preparation: Omit<Preparation, 'artifact'>): ToolRequest {
    const { summary, requirements, command, workingDirectory, expiresAtMs } = preparation
    const request: ToolRequest = {
      toolName: this.info.name,
      summary,
      requirements,
      ...(command === undefined ? {} : { command }),
      ...(workingDirectory === undefined ? {} : { workingDirectory }),
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
    }
    const frozen = frozenJsonCopy(request, 'request') as unknown as ToolRequest // a copy keeps the shape
    validateRequest(frozen)
    return frozen
  }

  #context(context: CallContext): CallContext & BindingsFor<R> & { readonly deps: D } {
    const { executionId, toolUseId, signal, askedBefore } = context
    const asked = askedBefore === undefined ? {} : { askedBefore }
    return { executionId, toolUseId, signal, ...asked, deps: this.#deps, ...this.#bindings }
  }
}

function frozenQuestion(question: UserQuestion): UserQuestion {
  const frozen = frozenJsonCopy(question, 'question') as unknown as UserQuestion // a copy keeps the shape
  validateQuestion(frozen)
  return frozen
}

const stoppedBefore = 'interrupted: the call was stopped before it ran; it changed nothing'

const refusals: Record<SealRefusal, string> = {
  missing: 'requires its prepared call',
  foreign: 'was given the prepared call of another execution',
  consumed: 'was given a prepared call that has run',
}

function refusedSeal(name: string, refusal: SealRefusal): ToolResult {
  return contractError('permission_denied', `permission denied: ${name} ${refusals[refusal]}`)
}
