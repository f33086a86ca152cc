import { type GateAction, GateError, type OpenPermission, type Session } from '@looprig/harness'
import type { Screen } from './render/screen.ts'

/**
 * Where open gates meet the lines that a person types. One gate is shown at a time; `y` or `yes` approves and `n` or
 * `no` denies, any other line is not an answer. When no more lines can come, what is open is denied.
 */
export class ApprovalDesk {
  readonly #session: Pick<Session, 'gates' | 'answer' | 'subscribe'>
  readonly #screen: Screen
  #shown: OpenPermission | undefined
  #closed = false
  #wake: () => void = () => undefined
  #waiting = Promise.resolve()

  constructor(session: Pick<Session, 'gates' | 'answer' | 'subscribe'>, screen: Screen) {
    this.#session = session
    this.#screen = screen
    this.#newWait()
  }

  /** Resolves when a gate waits for a line. */
  whenAsking(): Promise<void> {
    return this.#waiting
  }

  /** Shows gates as they open, until the session ends. */
  async serve(): Promise<void> {
    const events = this.#session.subscribe({ filter: { types: ['PermissionRequested', 'GateResolved'] } })
    await this.#update()
    for await (const _ of events) await this.#update()
  }

  /** Offers a line; false when it is no answer to a gate. */
  take(line: string): boolean {
    const action = actions.get(line.trim().toLowerCase())
    if (this.#shown === undefined) return false
    if (action === undefined) {
      this.#prompt()
      return false
    }
    this.#answer(this.#shown, action).catch(() => undefined) // a fault is told by whoever follows the session
    return true
  }

  /** No more lines come. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#update()
  }

  /** What the session says is open is the truth; an event is only the reason to look. */
  async #update(): Promise<void> {
    const open = this.#session.gates().filter((gate) => gate.kind === 'permission')
    if (this.#closed) {
      for (const gate of open) await this.#answer(gate, 'deny')
      return
    }
    if (open.some((gate) => gate.gateId === this.#shown?.gateId)) return
    this.#shown = open[0]
    if (this.#shown === undefined) return this.#newWait()
    this.#show(this.#shown)
    this.#wake()
  }

  async #answer(gate: OpenPermission, action: GateAction): Promise<void> {
    try {
      await this.#session.answer(gate.gateId, { action, by: 'terminal' })
    } catch (error) {
      // it was closed meanwhile, by an interrupt or by somebody else
      if (!(error instanceof GateError)) throw error
    }
  }

  #show({ request, unmet }: OpenPermission): void {
    this.#screen.note(`${request.toolName} asks: ${request.summary}`)
    if (request.command !== undefined) this.#screen.note(`  command: ${request.command}`)
    for (const { description } of unmet) this.#screen.note(`  ${description}`)
    this.#prompt()
  }

  #prompt(): void {
    this.#screen.note('approve? y or n')
  }

  #newWait(): void {
    this.#waiting = new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

const actions: ReadonlyMap<string, GateAction> = new Map([
  ['y', 'approve'],
  ['yes', 'approve'],
  ['n', 'deny'],
  ['no', 'deny'],
])
