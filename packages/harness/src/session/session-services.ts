import { type InputId, isUuid, type LoopId } from '@looprig/core'
import type { ProcessLifecycle, SessionResourceServices } from '@looprig/tools'
import { InvalidEventError, SessionError } from '../error/errors.ts'
import { inputDraft } from '../journal/record-draft.ts'
import { processBody } from '../resource/process-body.ts'
import type { LoopRuntime } from '../runtime/loop-runtime.ts'
import { checkInput } from './check-input.ts'
import type { LoopDirectory } from './loop-directory.ts'
import type { Draft, SessionLog } from './session-log.ts'

/** What the services of a session work on. */
export interface ServiceHost {
  readonly log: SessionLog
  readonly loops: LoopDirectory
  /** @throws SessionError when the session has ended for good: nothing follows that. */
  checkEnd(): void
}

/** What one notice is. */
type Notice = Parameters<SessionResourceServices['notify']>[0]

/** The longest notice, in characters. */
const maxNoticeCharacters = 64 * 1024
/** The most inputs that wait for a loop to which a notice is still added. */
const maxWaiting = 1_024

/**
 * What a session does for its resources. A record has the id that the resource gave, so that telling the same again, also
 * after a crash, changes nothing; another content under a known id is refused and harms nobody.
 */
export function sessionServices({ log, loops, checkEnd }: ServiceHost): SessionResourceServices {
  return Object.freeze({
    publish: async (event: ProcessLifecycle) => {
      const { eventId } = event
      const body = processBody(event)
      const invalidId = () => new InvalidEventError(body.type, 'eventId', 'is invalid')
      if (!isUuid(eventId)) throw invalidId()
      await log.commit(() => {
        checkEnd()
        return { records: [{ id: eventId, kind: 'event', body }], ifTaken: invalidId }
      })
    },
    notify: async ({ inputId, loopId, text }: Notice) => {
      const accept = noticeDraft({ inputId, loopId, text })
      let told: LoopRuntime | undefined
      await log.commit(() => {
        checkEnd()
        told = loops.find(loopId)
        if (told === undefined) throw new SessionError('loop_not_found', 'the session has no such loop')
        return accept(told)
      })
      // it waits now; one that rests begins with it, and what fails then is told by the session
      told?.startQueued().catch(() => undefined)
    },
  })
}

/** What accepting a notice leads to: it always waits first, so that the same notice is the same append. */
function noticeDraft({ inputId, loopId, text }: { inputId: InputId; loopId: LoopId; text: string }) {
  if (!isUuid(inputId)) throw new SessionError('input_invalid', 'inputId: expected a UUID')
  if (typeof text !== 'string' || text.length > maxNoticeCharacters) {
    throw new SessionError('input_invalid', `text: expected at most ${maxNoticeCharacters} characters`)
  }
  const checked = checkInput(text)
  if (checked instanceof SessionError) throw checked
  const { message } = checked
  const record = inputDraft(inputId, { loopId, agency: 'machine', blocks: message.blocks, notice: true })
  return (loop: LoopRuntime): Draft => {
    if (loop.queueLength >= maxWaiting) throw new SessionError('queue_full', 'too many inputs wait already')
    return {
      ...loop.acceptBehind({ inputId, message, agency: 'machine', noFold: false }),
      records: [record],
      ifTaken: () => new SessionError('input_conflict', 'another input has this id'),
    }
  }
}
