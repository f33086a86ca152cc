import { ContentError } from '../error/errors.ts'
import { isUuid } from './uuid-v7.ts'

declare const kind: unique symbol

/** A text with the brand of one kind of id, so that ids of two kinds cannot be mixed up. */
export type Id<Kind extends string> = string & { readonly [kind]: Kind }

/** One durable execution. */
export type SessionId = Id<'SessionId'>
/** One agent of a session. */
export type LoopId = Id<'LoopId'>
/** One accepted input up to its terminal event. */
export type TurnId = Id<'TurnId'>
/** One model response and its batch of tool calls. */
export type StepId = Id<'StepId'>
/** One tool call as the runtime knows it; never the provider's `toolUseId`. */
export type ToolExecutionId = Id<'ToolExecutionId'>
/** One input; the client may choose it, to make a retry of `submit` safe. */
export type InputId = Id<'InputId'>
/** One open question to a person. */
export type GateId = Id<'GateId'>
/** One event: the id of its record, a slot or a UUID, so an opaque text. */
export type EventId = Id<'EventId'>

/** The kinds of id that are UUIDs. */
export interface UuidKinds {
  readonly SessionId: SessionId
  readonly LoopId: LoopId
  readonly TurnId: TurnId
  readonly StepId: StepId
  readonly ToolExecutionId: ToolExecutionId
  readonly InputId: InputId
  readonly GateId: GateId
}

/**
 * Takes a text as an id of the given kind.
 *
 * @throws ContentError `content_invalid` when it is not a UUID; the message does not repeat the text.
 */
export function parseId<Kind extends keyof UuidKinds>(kindName: Kind, text: string): UuidKinds[Kind] {
  const lower = text.toLowerCase()
  if (!isUuid(lower)) throw new ContentError('content_invalid', kindName, 'expected a UUID')
  return lower as UuidKinds[Kind] // proved: the brand means "a canonical UUID", which was just checked
}
