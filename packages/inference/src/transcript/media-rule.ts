import { headWithin, type MediaBlock, type TextBlock, textBlock } from '@looprig/core'
import type { MediaRule } from './transcript-rules.ts'

/** Says whether a rule takes a block that breaks no rule of its kind. */
export function takesMedia(rule: MediaRule, { mediaType, data, url, text }: MediaBlock): boolean {
  const isTextEnough = text !== undefined && rule.text === 'beside'
  if (data !== undefined) return matches(rule.data, mediaType) || isTextEnough
  if (url === undefined) return text !== undefined && rule.text !== 'never'
  return rule.url === undefined ? isTextEnough : takesUrl(rule.url, url) && matches(rule.url.mediaTypes, mediaType)
}

/** What a model reads where it cannot have the block itself: its text, or at least that there was one. */
export function mediaInWords(block: MediaBlock): TextBlock {
  const { type, mediaType, name } = block
  const text = wordsOf(block)
  const shortName = name === undefined ? '' : ` ${headWithin(name, 256)}`
  const what = `${type}${shortName} (${headWithin(mediaType, 128)})`
  const hasWords = text !== undefined && text.trim() !== ''
  return textBlock(hasWords ? `[${what}, in words:]\n${text}` : `[${what}: left out, this model cannot take it]`)
}

/** The text beside it, or the bytes of a text file. */
function wordsOf({ type, mediaType, data, text }: MediaBlock): string | undefined {
  if (text !== undefined || type !== 'document' || data === undefined) return text
  return matches(['text/*', 'application/json', 'application/xml'], mediaType)
    ? Buffer.from(data, 'base64').toString('utf8')
    : undefined
}

function takesUrl({ prefixes }: NonNullable<MediaRule['url']>, url: string): boolean {
  const lower = url.slice(0, 256).toLowerCase()
  return prefixes.some((prefix) => lower.startsWith(prefix))
}

function matches(patterns: readonly string[], mediaType: string): boolean {
  const lower = mediaType.toLowerCase()
  return patterns.some((pattern) => {
    if (pattern === '*') return true
    return pattern.endsWith('/*') ? lower.startsWith(pattern.slice(0, -1)) : lower === pattern
  })
}
