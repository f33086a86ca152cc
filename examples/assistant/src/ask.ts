import type { Session, TurnResult } from '@looprig/harness'
import { ApprovalDesk } from './approval-desk.ts'
import { followSubmission } from './follow.ts'
import type { LineSource } from './lines.ts'
import type { Renderer } from './render/renderer.ts'
import type { Screen } from './render/screen.ts'

/** What one question needs. */
export interface AskOptions {
  readonly session: Session
  readonly screen: Screen
  readonly renderer: Renderer
  /** Opened when the first gate asks; absent when nobody is there to ask. */
  readonly openLines?: (() => LineSource) | undefined
}

/** Asks one question, prints what happens, and tells how it ended. */
export async function ask(question: string, options: AskOptions): Promise<TurnResult> {
  const { session, renderer } = options
  const lines = options.openLines === undefined ? undefined : answerGates(session, options.screen, options.openLines)
  try {
    const submission = session.submit(question)
    for await (const delivery of followSubmission(session, submission)) await renderer.event(delivery)
    const result = await submission.result()
    await renderer.result(result)
    return result
  } finally {
    lines?.close()
  }
}

/** Lets the person's lines answer gates; stdin is not read before one asks. */
function answerGates(session: Session, screen: Screen, openLines: () => LineSource): { close(): void } {
  const desk = new ApprovalDesk(session, screen)
  let lines: LineSource | undefined
  let closed = false
  const read = async () => {
    await desk.whenAsking()
    if (closed) return
    lines = openLines()
    for (let line = await lines.next(); line !== undefined; line = await lines.next()) desk.take(line)
    if (!closed) await desk.close()
  }
  // a fault is told by whoever follows the submission
  Promise.all([desk.serve(), read()]).catch(() => undefined)
  return {
    close: () => {
      closed = true
      lines?.close()
    },
  }
}
