import { eventRegistry, type Session, SessionError, type Submission } from '@looprig/harness'
import { ApprovalDesk } from './approval-desk.ts'
import { followSession } from './follow.ts'
import type { LineSource } from './lines.ts'
import { Pulse } from './pulse.ts'
import type { Renderer } from './render/renderer.ts'
import type { Screen } from './render/screen.ts'

/** What a conversation needs. */
export interface ConverseOptions {
  readonly session: Session
  readonly screen: Screen
  readonly renderer: Renderer
  readonly lines: LineSource
  /** Aborted when the conversation should end without waiting for answers. */
  readonly stop: AbortSignal
}

/**
 * Submits line after line and prints what the session says meanwhile. While the session's queue is full no further
 * line is read. When the input ends it waits for all answers; on `/exit` and `stop` it does not. Shuts the session
 * down and returns how many lines were asked.
 */
export async function converse(options: ConverseOptions): Promise<number> {
  const { session, lines, stop } = options
  const turnEnds = new Pulse()
  const desk = new ApprovalDesk(session, options.screen)
  const printing = printEvents(options, turnEnds)
  const close = () => lines.close()
  // when the session ends, however that came, nobody takes lines any more
  printing.then(close, close)
  desk.serve().catch(() => undefined)
  stop.addEventListener('abort', close, { once: true })
  try {
    const asked = new Inputs(options, turnEnds)
    const ended = await readLines(options, desk, asked)
    if (ended === 'input' && !stop.aborted) await answerAll(session, desk, asked, stop)
    return asked.count
  } finally {
    stop.removeEventListener('abort', close)
    close()
    await session.shutdown()
    await printing
  }
}

const help = '/exit leaves, /help prints this, anything else is asked; Ctrl-C interrupts an answer'

/** Takes lines until there are no more, or until one says `/exit`. */
async function readLines(
  { lines, screen }: ConverseOptions,
  desk: ApprovalDesk,
  asked: Inputs,
): Promise<'input' | 'exit'> {
  lines.prompt()
  for (;;) {
    // a full queue holds the reading back, unless a gate needs a line
    await Promise.race([asked.submitted, desk.whenAsking()])
    const line = await lines.next()
    const word = line?.trim()
    if (line === undefined) return 'input'
    if (word === '/exit') return 'exit'
    if (desk.take(line)) continue
    if (word === '/help') screen.note(help)
    else if (word !== '') asked.add(line)
    if (word === '/help' || word === '') lines.prompt()
  }
}

async function answerAll(session: Session, desk: ApprovalDesk, asked: Inputs, stop: AbortSignal): Promise<void> {
  try {
    await desk.close()
    await asked.answered
    await session.waitIdle()
  } catch (error) {
    if (!stop.aborted) throw error
  }
}

async function printEvents({ session, renderer, lines }: ConverseOptions, turnEnds: Pulse): Promise<void> {
  for await (const delivery of followSession(session)) {
    await renderer.event(delivery)
    if (eventRegistry[delivery.event.type].endsTurn) turnEnds.fire()
    if (delivery.event.type === 'SessionIdle') lines.prompt()
  }
}

/** The lines that were asked, submitted one after another and their results printed in that order. */
class Inputs {
  readonly #options: ConverseOptions
  readonly #turnEnds: Pulse
  #count = 0
  #submitted: Promise<void> = Promise.resolve()
  #answered: Promise<void> = Promise.resolve()

  constructor(options: ConverseOptions, turnEnds: Pulse) {
    this.#options = options
    this.#turnEnds = turnEnds
  }

  get count(): number {
    return this.#count
  }

  /** Resolves when every line so far was accepted or refused. */
  get submitted(): Promise<void> {
    return this.#submitted
  }

  /** Resolves when every line so far has its outcome. */
  get answered(): Promise<void> {
    return this.#submitted.then(() => this.#answered)
  }

  add(line: string): void {
    this.#count += 1
    this.#submitted = this.#submitted.then(async () => {
      const submission = await this.#submit(line)
      this.#answered = this.#answered.then(() => this.#report(submission))
      this.#answered.catch(() => undefined) // a fault is told by whoever follows the session
    })
    this.#submitted.catch(() => undefined)
  }

  /** A queue that is full has room again when a turn ends. */
  async #submit(line: string): Promise<Submission> {
    for (;;) {
      const { count } = this.#turnEnds
      // each line is a question with an answer of its own, also when it comes while another one is answered
      const submission = this.#options.session.submit(line, { noFold: true })
      const refusal = await submission.accepted.then(
        () => undefined,
        (error: unknown) => error,
      )
      if (!(refusal instanceof SessionError) || refusal.code !== 'queue_full') return submission
      await this.#turnEnds.after(count)
    }
  }

  async #report(submission: Submission): Promise<void> {
    await this.#options.renderer.result(await submission.result())
  }
}
