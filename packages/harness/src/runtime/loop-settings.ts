import { isDeepStrictEqual } from 'node:util'
import type { LoopId, Message } from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { IdSource } from '../clock/id-source.ts'
import { DefinitionError, SessionError } from '../error/errors.ts'
import type { LoopInferenceChanged, LoopModeChanged } from '../event/loop-event.ts'
import { eventDraft } from '../journal/record-draft.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import { costFault, findMode } from '../loop/effective-loop.ts'
import { chooseMode, chooseModel, type LoopChoice } from '../loop/loop-choice.ts'
import { copyModel } from '../loop/model-schema.ts'
import { takesMessage } from '../loop/takes-input.ts'
import type { Draft } from '../session/session-log.ts'
import { bindConfig, type LoopConfig, type LoopTools } from './loop-config.ts'

/** What the settings of a loop are made of. */
export interface LoopSettingsParts {
  readonly id: LoopId
  readonly definition: LoopDefinition
  readonly tools: LoopTools
  /** What was chosen before. */
  readonly choice: LoopChoice
  readonly ids: IdSource
  /** The transcript that the next model is shown. */
  history(): readonly Message[]
}

/** The mode and model of one loop. A change is durable first, and in force from the next turn on. */
export class LoopSettings {
  readonly #parts: LoopSettingsParts
  #config: LoopConfig

  constructor(parts: LoopSettingsParts) {
    this.#parts = parts
    this.#config = this.bind(parts.choice)
  }

  /** What the next turn begins with. */
  get config(): LoopConfig {
    return this.#config
  }

  /** The configuration of a choice. */
  bind(choice: LoopChoice): LoopConfig {
    return bindConfig(this.#parts.definition, this.#parts.tools, choice)
  }

  /**
   * Another mode; nothing when the loop has it already.
   *
   * @throws SessionError `unknown_mode`, `model_invalid`.
   */
  setMode(mode: string): Draft | undefined {
    const { definition, id: loopId } = this.#parts
    if (findMode(definition, mode) === undefined) {
      const names = definition.modes.map(({ name }) => name).join(', ')
      throw new SessionError('unknown_mode', `the loop has no such mode; its modes: ${names || 'none'}`)
    }
    const { choice, loop } = this.#config
    const config = this.bind(chooseMode(choice, mode))
    if (mode === choice.mode && config.loop.model === loop.model) return undefined
    return this.#change(config, { type: 'LoopModeChanged', loopId, previous: choice.mode, mode })
  }

  /**
   * Another model, which `readModel` read; nothing when it was chosen already.
   *
   * @throws SessionError `model_invalid`.
   */
  setModel(model: Model): Draft | undefined {
    const { choice } = this.#config
    if (choice.isModelOfMode === true && isDeepStrictEqual(choice.model, model)) return undefined
    const config = this.bind(chooseModel(choice, model))
    return this.#change(config, { type: 'LoopInferenceChanged', loopId: this.#parts.id, model })
  }

  #change(config: LoopConfig, event: LoopModeChanged | LoopInferenceChanged): Draft {
    const { definition, history, ids } = this.#parts
    const { loop, choice } = config
    const isShowable = history().every((message) => takesMessage(loop.model, message))
    const fault = isShowable ? costFault(definition, choice) : 'the model takes no images, and the history holds some'
    if (fault !== undefined) throw new SessionError('model_invalid', fault)
    return {
      records: [eventDraft(event, ids)],
      apply: () => {
        this.#config = config
      },
    }
  }
}

/**
 * Checks and copies a model that a caller chose.
 *
 * @throws SessionError `model_invalid`.
 */
export function readModel(model: Model): Model {
  try {
    return copyModel('model', model)
  } catch (error) {
    if (error instanceof DefinitionError) throw new SessionError('model_invalid', error.message)
    throw error
  }
}
