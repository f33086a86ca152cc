import { assertNever, type Block, byteLength, headWithin, type Message, tailWithin } from '@looprig/core'
import type { HistoryEntry } from '../runtime/history.ts'
import { escapeXml } from './xml-text.ts'

/** One thing that was said or done, before it is text. */
interface Item {
  /** Of this program's own making, never of the history. */
  readonly tag: string
  readonly attributes: string
  readonly text: string
}

/** How much is kept of each text, in bytes: the first of these with which the whole fits. */
const textBytes = [Number.POSITIVE_INFINITY, 65_536, 16_384, 4_096, 1_024, 256] as const

/** Room for the frame and for a mark of what was left out. */
const frameBytes = 256

/**
 * Writes a history as a document of at most `maxBytes` that holds nothing but it: every text is escaped, so no content
 * can end its element or begin another. Long texts lose their middle first, then items in the middle are left out; marks
 * say so. Images, and what the model thought, are not shown.
 */
export function renderHistory(entries: readonly HistoryEntry[], maxBytes: number): string {
  const items = entries.flatMap(entryItems)
  for (const bytes of textBytes) {
    const written = items.map((item) => writeItem(item, bytes))
    const total = written.reduce((sum, text) => sum + byteLength(text) + 1, frameBytes)
    if (total <= maxBytes) return frame(written)
    if (bytes === textBytes.at(-1)) return frame(keepEnds(written, maxBytes - frameBytes))
  }
  return frame([])
}

function frame(written: readonly string[]): string {
  return ['<history>', ...written, '</history>'].join('\n')
}

/** Keeps the first quarter, where the task is, and the newest. */
function keepEnds(written: readonly string[], maxBytes: number): readonly string[] {
  const start = takeWithin(written, maxBytes / 4)
  const rest = written.slice(start.length).reverse()
  const used = start.reduce((sum, text) => sum + byteLength(text) + 1, 0)
  const end = takeWithin(rest, maxBytes - used).toReversed()
  const left = written.length - start.length - end.length
  return [...start, `<left_out items="${left}"/>`, ...end]
}

function takeWithin(written: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0
  const end = written.findIndex((text) => {
    bytes += byteLength(text) + 1
    return bytes > maxBytes
  })
  return end < 0 ? written : written.slice(0, end)
}

function writeItem({ tag, attributes, text }: Item, maxBytes: number): string {
  if (text === '') return `<${tag}${attributes}/>`
  return `<${tag}${attributes}>${shorten(text, maxBytes)}</${tag}>`
}

/** Escapes a text; the middle of a long one becomes a mark, which no text can forge. */
function shorten(text: string, maxBytes: number): string {
  const bytes = maxBytes === Number.POSITIVE_INFINITY ? 0 : byteLength(text)
  if (bytes <= maxBytes) return escapeXml(text)
  const head = headWithin(text, maxBytes / 2)
  const tail = tailWithin(text, maxBytes / 2)
  const left = bytes - byteLength(head) - byteLength(tail)
  return `${escapeXml(head)}<left_out bytes="${left}"/>${escapeXml(tail)}`
}

function entryItems({ messages, isSummary }: HistoryEntry): readonly Item[] {
  return messages.flatMap((message) => messageItems(message, isSummary === true))
}

function messageItems(message: Message, isSummary: boolean): readonly Item[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return message.blocks.flatMap((block) => blockItems(block, isSummary ? 'earlier_summary' : message.role))
    case 'assistant':
      return message.blocks.flatMap((block) => blockItems(block, 'assistant'))
    case 'tool':
      return resultItems(message.toolUseId, message.isError, message.blocks)
    default:
      return assertNever(message, 'message')
  }
}

function blockItems(block: Block, speaker: string): readonly Item[] {
  switch (block.type) {
    case 'text':
      return [{ tag: speaker, attributes: '', text: block.text }]
    case 'refusal':
      return [{ tag: speaker, attributes: ' refused="true"', text: block.text }]
    case 'thinking':
      return []
    case 'tool_use': {
      const attributes = `${attribute('id', block.id)}${attribute('name', block.name)}`
      return [{ tag: 'call', attributes, text: JSON.stringify(block.input) }]
    }
    case 'tool_result':
      return resultItems(block.toolUseId, block.isError, block.content)
    case 'image':
    case 'audio':
    case 'document':
      return [
        { tag: block.type, attributes: `${attribute('from', speaker)}${attribute('type', block.mediaType)}`, text: '' },
      ]
    default:
      return assertNever(block, 'block')
  }
}

/** The texts of a result are one item; its images follow. */
function resultItems(toolUseId: string, isError: boolean, blocks: readonly Block[]): readonly Item[] {
  const attributes = `${attribute('of', toolUseId)}${isError ? ' error="true"' : ''}`
  const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const others = blocks.filter((block) => block.type !== 'text').flatMap((block) => blockItems(block, 'tool'))
  return [{ tag: 'result', attributes, text }, ...others]
}

function attribute(name: string, value: string): string {
  return ` ${name}="${escapeXml(headWithin(value, 128)).replace(/[\t\r\n]/g, ' ')}"`
}
