import type { InferenceRequest, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { systemTextsFold } from '../conversation/system-texts.ts'
import { isToolName, maxToolName, replayedToolName } from '../schema/legal-name.ts'
import type { WireMode } from '../wire-codec.ts'
import { checkImages, InputEncoder } from './encode-input.ts'
import { encodeOutput, encodeSettings, type ReasoningSummary } from './encode-settings.ts'
import { encodeToolChoice, encodeTools } from './encode-tools.ts'

/**
 * Writes request bodies. Each message, and each list of tools, is encoded once and its text kept for as long as the
 * object lives, so a step pays for its new messages only; both must not change after their first request.
 */
export class ResponsesEncoder {
  readonly #summary: ReasoningSummary | undefined
  readonly #tools = new WeakMap<readonly ToolSpec[], string>()
  /** Names of tools that a cautious server would not take; a past call keeps its name where its tool has it. */
  readonly #unusualNames = new Set<string>()
  readonly #systemTexts = systemTextsFold()
  readonly #withFiles: InputEncoder
  readonly #withoutFiles: InputEncoder

  constructor(summary: ReasoningSummary | undefined) {
    this.#summary = summary
    const nameOf = (name: string) => (this.#unusualNames.has(name) ? name : replayedToolName(name, maxToolName))
    this.#withFiles = new InputEncoder({ documents: true }, nameOf)
    this.#withoutFiles = new InputEncoder({ documents: false }, nameOf)
  }

  /** Gives the JSON text of the body. @throws InferenceError `unsupported`, naming the part. */
  encode(request: InferenceRequest, mode: WireMode): string {
    const { model, tools = [], toolChoice, parallelToolCalls, output } = request
    const { capabilities } = model
    if (model.name === '') throw unsupported('model.name', 'expected a name')
    if (tools.length > 0 && capabilities?.tools !== true) {
      throw unsupported('tools', 'the model has no tools capability')
    }
    const toolsText = tools.length === 0 ? '' : `,"tools":${this.#toolsText(tools)}`
    const choice = encodeToolChoice(toolChoice, tools)
    const instructions = [request.system ?? '', ...this.#systemTexts.of(request)]
      .filter((text) => text !== '')
      .join('\n\n')
    const head = wellFormedJson({
      model: model.name,
      ...encodeSettings(model, request.sampling, this.#summary),
      ...encodeOutput(output, model),
      ...(choice === undefined ? {} : { tool_choice: choice }),
      ...(parallelToolCalls === undefined || tools.length === 0 ? {} : { parallel_tool_calls: parallelToolCalls }),
      ...(mode === 'stream' ? { stream: true } : {}),
      ...(instructions === '' ? {} : { instructions }),
    })
    const input = (capabilities?.documents === true ? this.#withFiles : this.#withoutFiles).encode(request)
    checkImages(input.hasImages, capabilities?.images)
    return `${head.slice(0, -1)}${toolsText},"input":[${input.json}]}`
  }

  #toolsText(tools: readonly ToolSpec[]): string {
    let text = this.#tools.get(tools)
    if (text === undefined) {
      text = encodeTools(tools)
      this.#tools.set(tools, text)
      for (const { name } of tools) if (!isToolName(name, maxToolName)) this.#unusualNames.add(name)
    }
    return text
  }
}
