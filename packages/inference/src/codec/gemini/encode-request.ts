import type { InferenceRequest, ToolSpec } from '../../client/request.ts'
import { unsupported } from '../../failure/unsupported.ts'
import type { Model } from '../../model/model.ts'
import { wellFormedJson } from '../../wire/well-formed-json.ts'
import { once } from '../conversation/once.ts'
import { systemTextsFold } from '../conversation/system-texts.ts'
import type { WireMode, WireRequest } from '../wire-codec.ts'
import { ContentsEncoder } from './encode-contents.ts'
import { encodeSettings } from './encode-settings.ts'
import { encodeToolChoice, encodeTools } from './encode-tools.ts'
import { isThirdGeneration } from './generation.ts'
import { mediaTypesFold } from './media-types.ts'

/** How much the provider lets pass of one kind of harm; both are its own words. */
export interface SafetySetting {
  /** For example `HARM_CATEGORY_HARASSMENT`. */
  readonly category: string
  /** For example `BLOCK_ONLY_HIGH`. */
  readonly threshold: string
}

/**
 * Writes requests. Each message, and each list of tools, is encoded once and its text kept for as long as the object
 * lives, so a step pays for its new messages only; both must not change after their first request.
 */
export class GeminiEncoder {
  readonly #safety: readonly SafetySetting[]
  readonly #tools = new WeakMap<readonly ToolSpec[], string>()
  readonly #mediaTypes = mediaTypesFold()
  readonly #systemTexts = systemTextsFold()
  readonly #contents = new Map<string, ContentsEncoder>()

  constructor(safety: readonly SafetySetting[]) {
    this.#safety = safety
  }

  /** @throws InferenceError `unsupported`, naming the part that the model or the protocol cannot express. */
  encode(request: InferenceRequest, mode: WireMode): WireRequest {
    const { model, toolChoice, parallelToolCalls, output } = request
    if (request.tools !== undefined && request.tools.length > 0 && model.capabilities?.tools !== true) {
      throw unsupported('tools', 'the model has no tools capability')
    }
    if (parallelToolCalls === false) throw unsupported('parallelToolCalls', 'this protocol cannot forbid them')
    this.#checkMedia(request)
    const { tools, config } = encodeToolChoice(toolChoice, request.tools ?? [])
    const system = [request.system ?? '', ...this.#systemTexts.of(request)].filter((text) => text !== '')
    const head = wellFormedJson({
      ...(system.length === 0 ? {} : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
      ...(config === undefined ? {} : { toolConfig: config }),
      ...encodeSettings(model, request.sampling, output),
      ...(this.#safety.length === 0 ? {} : { safetySettings: this.#safety }),
    })
    const toolsText = tools.length === 0 ? '' : `"tools":${once(this.#tools, tools, encodeTools)},`
    const rest = head === '{}' ? '' : `,${head.slice(1, -1)}`
    const body = `{${toolsText}"contents":[${this.#contentsFor(model).encode(request)}]${rest}}`
    return {
      path: `${modelPath(model)}:${mode === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      body,
    }
  }

  /** Models write messages in at most four ways. */
  #contentsFor(model: Model): ContentsEncoder {
    const documents = model.capabilities?.documents === true
    const isThird = isThirdGeneration(model)
    const key = `${documents} ${isThird}`
    let encoder = this.#contents.get(key)
    if (encoder === undefined) {
      encoder = new ContentsEncoder({ documents, mediaInResponses: isThird, wantsSignatures: isThird })
      this.#contents.set(key, encoder)
    }
    return encoder
  }

  #checkMedia(request: InferenceRequest): void {
    const { model } = request
    const types = this.#mediaTypes.of(request)
    if (types.has('image') && model.capabilities?.images !== true) {
      throw unsupported('messages', 'they hold an image and the model has no images capability')
    }
    if (types.has('audio') && model.capabilities?.audio !== true) {
      throw unsupported('messages', 'they hold audio and the model has no audio capability')
    }
  }
}

/** The model stands in the path. */
function modelPath({ name }: Model): string {
  if (!/^[\w.@-]+(?:\/[\w.@-]+)*$/.test(name) || name.split('/').some((step) => /^\.+$/.test(step))) {
    throw unsupported('model.name', 'expected letters, digits and . _ - @, in steps with slashes between')
  }
  return name.includes('/') ? `/${name}` : `/models/${name}`
}
