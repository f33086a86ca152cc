import type { AIMessage, Block, SessionId } from '@looprig/core'
import type { Model } from '@looprig/inference'
import type { Event } from './event.ts'

/** What an outward surface shows of a session. */
export interface PublicEventOptions {
  /**
   * The workspace of the session as its manifest has it (`SessionStarted.config.workspace`): wherever a text names it, it
   * reads `/sessions/<id>/workspace` instead. Default: there is none to hide.
   */
  readonly workspace?: string | undefined
  /**
   * Also shows the pieces of an answer while it comes. A path that two pieces share is not recognised in them. Default
   * false: the answer is shown when its step is done.
   */
  readonly deltas?: boolean | undefined
}

/**
 * Makes what strangers may see of a session's events: for a web page or a log that more people read than those who own the
 * machine. Paths into the workspace are those of the session; how a call was decided, by whom and by which rule, what a
 * provider keeps in a message for itself, and what hooks did are left out. It hides nothing else: what people, models
 * and tools say stays.
 *
 * @returns a function that gives the public form of an event, frozen, or nothing for one that is not public.
 */
export function publicEvents(options: PublicEventOptions = {}): (event: Event) => Event | undefined {
  const { workspace = '', deltas = false } = options
  const root = workspace === '' || workspace === '/' ? undefined : pathPattern(workspace)
  return (event) => {
    const shown = publicForm(event, deltas)
    return shown === undefined ? undefined : rewritten(shown, root, event.sessionId)
  }
}

function publicForm(event: Event, deltas: boolean): Event | undefined {
  switch (event.type) {
    case 'PermissionDecided':
    case 'HookFailed':
      return undefined
    case 'TokenDelta':
    case 'ThinkingDelta':
    case 'ToolInputDelta':
      return deltas ? event : undefined
    case 'GateResolved': {
      const { by: _by, rule: _rule, rules: _rules, denial: _denial, ...shown } = event
      return shown
    }
    case 'LoopInferenceChanged':
      return { ...event, model: publicModel(event.model) }
    case 'ConfigurationAdopted': {
      const { by: _by, message: _message, ...shown } = event
      return shown
    }
    case 'StepDone': {
      const [answer, ...results] = event.messages
      return { ...event, messages: [publicAnswer(answer), ...results] }
    }
    default:
      return event
  }
}

/** Only what names a model and what it can: an address that somebody put beside it is none of that. */
function publicModel({ provider, name, capabilities, limits }: Model): Model {
  return { provider, name, ...(capabilities && { capabilities }), ...(limits && { limits }) }
}

function publicAnswer(answer: AIMessage): AIMessage {
  return { ...answer, blocks: answer.blocks.map(publicBlock) }
}

/** Without what only the provider reads. */
function publicBlock(block: Block): Block {
  const { seal: _seal, state: _state, ...shown } = { seal: undefined, state: undefined, ...block }
  return shown as Block // proved: both are optional in every block that has them
}

/** A path where it stands for itself and is not the end or the beginning of another name. */
function pathPattern(path: string): RegExp {
  const literal = path.replace(/[/\\]+$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\w.~-])${literal}(?![\\w-])`, 'g')
}

function rewritten(event: Event, root: RegExp | undefined, sessionId: SessionId): Event {
  const hide = (text: string) => (root === undefined ? text : text.replace(root, `/sessions/${sessionId}/workspace`))
  // proved: only texts change, and no text that tells types apart is a path
  return rewrite(event, hide) as Event
}

/** A frozen copy with every text changed, also in the names of members: arguments of a model may have any. */
function rewrite(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map((item) => rewrite(item, hide)))
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([name, item]) => [hide(name), rewrite(item, hide)])),
  )
}
