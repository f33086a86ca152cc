import { byteLength, type JsonObject } from '@looprig/core'

/** How much room there is for the JSON of a result. */
export interface JsonRoom {
  /** Bytes of the JSON. */
  readonly bytes: number
  /** Bytes that it takes within the JSON of a record, where its own quotes are escaped once more. */
  readonly journalBytes: number
}

const cutMark = '… [truncated]'

/**
 * The JSON of an object that fits, always valid: its text `fields` give way, the first one first, each at the border of
 * a character and, where that is not enough, altogether.
 */
export function fitJson(value: JsonObject, fields: readonly string[], room: JsonRoom): string {
  const whole = JSON.stringify(value)
  const [field, ...others] = fields
  if (field === undefined || fits(whole, room)) return whole
  const { [field]: text, ...rest } = value
  const marked = JSON.stringify({ ...value, [field]: cutMark })
  if (typeof text !== 'string' || !fits(marked, room)) return fitJson(rest, others, room)
  const left = {
    bytes: room.bytes - byteLength(marked),
    journalBytes: room.journalBytes - journalSize(marked),
  }
  return JSON.stringify({ ...value, [field]: headWithinJson(text, left) + cutMark })
}

/** Says whether a JSON text fits. */
export function fits(json: string, { bytes, journalBytes }: JsonRoom): boolean {
  return byteLength(json) <= bytes && journalSize(json) <= journalBytes
}

/** What a text takes within the JSON of a record. */
export function journalSize(text: string): number {
  return byteLength(JSON.stringify(text)) - 2
}

/** The longest start of a text that fits within JSON: a control character takes six bytes there. */
function headWithinJson(text: string, room: JsonRoom): string {
  let { bytes, journalBytes } = room
  let end = 0
  for (const character of text) {
    const escaped = JSON.stringify(character).slice(1, -1)
    bytes -= byteLength(escaped)
    journalBytes -= journalSize(escaped)
    if (bytes < 0 || journalBytes < 0) break
    end += character.length
  }
  return text.slice(0, end)
}
