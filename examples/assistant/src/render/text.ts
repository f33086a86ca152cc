import { assertNever, type StepId, textOf } from '@looprig/core'
import type {
  Delivery,
  Event,
  StepDone,
  TokenDelta,
  ToolCallCompleted,
  ToolCallStarted,
  TurnResult,
  TurnStarted,
} from '@looprig/harness'
import type { Renderer } from './renderer.ts'
import { sanitizeLine } from './sanitize.ts'
import type { Screen } from './screen.ts'

/** The events that are printed with and without progress. */
type AlwaysShown = 'TokenDelta' | 'StepDone' | 'TurnDone' | 'TurnFailed' | 'TurnInterrupted' | 'InputCancelled'

/** Text for a person: the answer as it arrives, and what runs meanwhile unless `progress` is off. */
export class TextRenderer implements Renderer {
  readonly #screen: Screen
  readonly #progress: boolean
  readonly #queued = new Set<string>()
  readonly #calls = new Map<string, string>()
  #step: StepId | undefined
  #blockIndex = -1
  /** What was printed of the step's text. */
  #printed = ''
  /** The first half of a character whose second half is still to come. */
  #half = ''

  constructor(screen: Screen, options: { readonly progress: boolean }) {
    this.#screen = screen
    this.#progress = options.progress
  }

  async event({ event }: Delivery): Promise<void> {
    switch (event.type) {
      case 'TokenDelta':
        return this.#token(event)
      case 'StepDone':
        return this.#stepDone(event)
      case 'TurnDone':
        return this.#screen.endAnswerLine()
      case 'TurnFailed':
        await this.#screen.endAnswerLine()
        return this.#screen.error(event.error)
      case 'TurnInterrupted':
        await this.#screen.endAnswerLine()
        return this.#screen.note('interrupted')
      case 'InputCancelled':
        return this.#screen.note(`not asked, because the turn before it failed: ${textOf(event.message.blocks)}`)
      default:
        if (this.#progress) this.#showProgress(event)
    }
  }

  /** What has a turn was told by its events. */
  async result({ status, error }: TurnResult): Promise<void> {
    if (status === 'rejected' && error !== undefined) this.#screen.error(error)
  }

  async #token({ stepId, blockIndex, text }: TokenDelta): Promise<void> {
    if (stepId !== this.#step) this.#beginStep(stepId)
    if (blockIndex !== this.#blockIndex) await this.#beginBlock(blockIndex)
    const whole = this.#half + text
    this.#half = /[\ud800-\udbff]$/.test(whole) ? whole.slice(-1) : ''
    await this.#print(this.#half === '' ? whole : whole.slice(0, -1))
  }

  /** Prints what did not arrive as deltas; where pieces of them are missing, the whole text again. */
  async #stepDone({ stepId, messages }: StepDone): Promise<void> {
    if (stepId !== this.#step) this.#beginStep(stepId)
    const blocks = messages[0].blocks.filter((block) => block.type === 'text' || block.type === 'refusal')
    let seen = this.#printed
    const complete = blocks
      .map((block) => block.text)
      .join('')
      .startsWith(seen)
    if (!complete) {
      await this.#screen.endAnswerLine()
      seen = ''
    }
    for (const { text } of blocks) {
      const known = Math.min(seen.length, text.length)
      seen = seen.slice(known)
      if (known === text.length) continue
      if (known === 0) await this.#screen.endAnswerLine()
      await this.#screen.answer(text.slice(known))
    }
    await this.#screen.endAnswerLine()
    this.#step = undefined
  }

  #beginStep(stepId: StepId): void {
    this.#step = stepId
    this.#blockIndex = -1
    this.#printed = ''
    this.#half = ''
  }

  async #beginBlock(blockIndex: number): Promise<void> {
    this.#blockIndex = blockIndex
    this.#half = ''
    await this.#screen.endAnswerLine()
  }

  async #print(text: string): Promise<void> {
    this.#printed += text
    await this.#screen.answer(text)
  }

  #showProgress(event: Exclude<Event, { readonly type: AlwaysShown }>): void {
    switch (event.type) {
      case 'ToolCallStarted':
        this.#callStarted(event)
        break
      case 'ToolCallCompleted':
        this.#callCompleted(event)
        break
      case 'Retrying':
        this.#screen.note(`  retrying in ${formatDuration(event.delayMs)} (${event.code})`, 'dim')
        break
      case 'InputQueued':
        this.#queued.add(event.inputId)
        this.#screen.note('  queued', 'dim')
        break
      case 'TurnStarted':
      case 'TurnFoldedInto':
        if (this.#queued.delete(event.inputId)) this.#echo(event)
        break
      case 'CompactionCommitted':
        this.#screen.note('  earlier parts of the conversation are summarized now', 'dim')
        break
      case 'ToolProgress':
        this.#screen.note(`  ${sanitizeLine(event.text)}`, 'dim')
        break
      case 'SessionStarted':
      case 'SessionActive':
      case 'SessionIdle':
      case 'SessionStopped':
      case 'ActiveLoopChanged':
      case 'ConfigurationAdopted':
      case 'LoopStarted':
      case 'LoopIdle':
      case 'LoopModeChanged':
      case 'LoopInferenceChanged':
      case 'TurnRejected':
      case 'CompactionRejected':
      case 'ContextPressure':
      case 'ProcessStarted':
      case 'ProcessBackgrounded':
      case 'ProcessStopRequested':
      case 'ProcessCompleted':
      case 'ProcessLost':
      case 'HookFailed':
      case 'UserInputRequested':
      case 'ThinkingDelta':
      case 'ToolInputDelta':
      case 'PermissionRequested':
      case 'PermissionDecided':
      case 'GateResolved':
        break
      default:
        assertNever(event, 'event')
    }
  }

  /** An answer that comes later than its question is told apart by it. */
  #echo({ message }: Pick<TurnStarted, 'message'>): void {
    this.#screen.note(`> ${sanitizeLine(textOf(message.blocks))}`, 'dim')
  }

  #callStarted({ toolExecutionId, toolName, summary }: ToolCallStarted): void {
    const label = summary.startsWith(toolName) ? summary : `${toolName} ${summary}`
    this.#calls.set(toolExecutionId, label)
    this.#screen.begin(toolExecutionId, label)
  }

  #callCompleted({ toolExecutionId, toolName, isError, resultPreview, durationMs }: ToolCallCompleted): void {
    const label = this.#calls.get(toolExecutionId) ?? toolName
    this.#calls.delete(toolExecutionId)
    const [reason = ''] = resultPreview.split('\n', 1)
    this.#screen.finish(toolExecutionId, label, `${formatDuration(durationMs)}${isError ? `: ${reason}` : ''}`)
  }
}

/** `12 ms`, from a second on `1.2 s`. */
export function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`
}
