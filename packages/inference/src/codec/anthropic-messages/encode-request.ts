import type { Message } from '@looprig/core'
import type { InferenceRequest, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { once } from '../conversation/once.ts'
import type { WireMode } from '../wire-codec.ts'
import type { Turn } from './arrange-turns.ts'
import { CacheMarker } from './cache-marker.ts'
import { type CacheLifetime, chooseCachePoints } from './cache-points.ts'
import { type EncodedMessage, encodeAssistant, encodeMessage } from './encode-message.ts'
import { chooseSampling, encodeEffort, maxTokensOf, type Thinking } from './encode-sampling.ts'
import { type ChosenTools, chooseTools, encodeToolChoice, encodeTools, isForced } from './encode-tools.ts'
import { mayThink } from './may-think.ts'
import { SettledTurns } from './settled-turns.ts'
import { systemText } from './system-text.ts'
import { encodeUnfinished } from './unfinished.ts'

/**
 * Writes request bodies. Each message, and each list of tools, is encoded once and its text kept for as long as the
 * object lives, so a step pays for its new messages only; both must not change after their first request.
 */
export class MessagesEncoder {
  readonly #cacheLifetime: CacheLifetime
  readonly #messages = new WeakMap<Message, EncodedMessage>()
  readonly #turns = new SettledTurns<EncodedMessage>(
    ({ place, hasImages, hasFiles }) => place === 'system' || hasImages || hasFiles,
  )
  readonly #tools = new WeakMap<readonly ToolSpec[], string>()

  constructor(cacheLifetime: CacheLifetime) {
    this.#cacheLifetime = cacheLifetime
  }

  /**
   * Gives the JSON text of the body.
   *
   * @throws InferenceError `unsupported`, naming the part that the model or the protocol cannot express.
   */
  encode(request: InferenceRequest, mode: WireMode): string {
    const { model } = request
    if (model.name === '') throw unsupported('model.name', 'expected a name')
    const tools = chooseTools(request.tools ?? [], request.toolChoice)
    if ((request.tools ?? []).length > 0 && model.capabilities?.tools !== true) {
      throw unsupported('tools', 'the model has no tools capability')
    }
    const arranged = this.#turns.arrange(request.messages, (messages) =>
      messages.map((message) => once(this.#messages, message, encodeMessage)),
    )
    const { pieces, turns, notable } = arranged
    checkMedia(request, notable)
    const { head, thinks } = encodeHead(request, tools, mode, mayThink(turns, pieces))
    encodeUnfinished(request.messages, pieces, turns, (message) => encodeAssistant(message, { keepThinking: thinks }))

    const system = systemText(request.system, notable)
    const points = chooseCachePoints(request, pieces, turns)
    const marker = new CacheMarker(points, this.#cacheLifetime)
    const toolsText =
      tools.tools.length === 0 ? '' : `,"tools":${marker.tools(once(this.#tools, tools.tools, encodeTools))}`
    const systemField = system === '' ? '' : `,"system":${marker.system(wellFormedJson(system))}`
    const messages = this.#turns.text(request, arranged, points, (turn) => turnText(turn, pieces, marker))
    return `${head.slice(0, -1)}${toolsText}${systemField},"messages":[${messages}]}`
  }
}

function encodeHead(
  request: InferenceRequest,
  tools: ChosenTools,
  mode: WireMode,
  mayThinkNow: boolean,
): { readonly head: string; readonly thinks: boolean } {
  const { model } = request
  const sampling = chooseSampling(model, request.sampling)
  const maxTokens = maxTokensOf(model, sampling)
  const asked = encodeEffort(model, sampling.effort, maxTokens)
  // a call cannot be forced and thought about, and a budget cannot begin in the middle of a step
  const thinking = isForced(tools) || (!mayThinkNow && asked?.effort === undefined) ? undefined : asked
  const choice = encodeToolChoice(tools, request.parallelToolCalls)
  const { temperature, topP, stop } = sampling
  const head = wellFormedJson({
    model: model.name,
    max_tokens: maxTokens,
    ...(temperature === undefined || thinking !== undefined ? {} : { temperature }),
    ...(topP === undefined || thinking !== undefined ? {} : { top_p: topP }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...(thinking === undefined ? {} : { thinking: thinking.thinking }),
    ...outputConfig(request, asked),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(mode === 'stream' ? { stream: true } : {}),
  })
  return { head, thinks: thinking !== undefined }
}

/** How much effort, which holds without thinking too, and what form the answer has. */
function outputConfig({ model, output }: InferenceRequest, asked: Thinking | undefined): object {
  if (output !== undefined && model.capabilities?.structuredOutput !== true) {
    throw unsupported('output', 'the model has no structuredOutput capability')
  }
  const config = {
    ...(asked?.effort === undefined ? {} : { effort: asked.effort }),
    ...(output === undefined ? {} : { format: { type: 'json_schema', schema: output.schema } }),
  }
  return Object.keys(config).length === 0 ? {} : { output_config: config }
}

function checkMedia({ model }: InferenceRequest, pieces: readonly EncodedMessage[]): void {
  const { images, documents } = model.capabilities ?? {}
  for (const { hasImages, hasFiles } of pieces) {
    if (hasImages && images !== true) {
      throw unsupported('messages', 'they hold an image and the model has no images capability')
    }
    if (hasFiles && documents !== true) {
      throw unsupported('messages', 'they hold a document and the model has no documents capability')
    }
  }
}

/** Every turn of every request passes here, so it makes one text and no list. */
function turnText({ role, results, others }: Turn, pieces: readonly EncodedMessage[], marker: CacheMarker): string {
  let content = ''
  for (const indexes of [results, others]) {
    for (const index of indexes) {
      const text = marker.message(index, pieces[index]?.parts ?? '')
      content = content === '' ? text : `${content},${text}`
    }
  }
  return `{"role":"${role}","content":[${content}]}`
}
