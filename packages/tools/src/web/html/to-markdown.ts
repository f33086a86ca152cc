import { createRequire } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { byteLength, headWithin } from '@looprig/core'
import type { NodeHtmlMarkdown } from 'node-html-markdown'
import { DefinitionBuildError } from '../../contract/errors.ts'
import { cleanLine } from '../text/clean-text.ts'
import { decodeEntities } from './decode-entities.ts'
import { htmlPieces } from './html-pieces.ts'
import { htmlTokens } from './html-token.ts'

const packageName = 'node-html-markdown'

/**
 * Looks whether the converter is installed, without loading it.
 *
 * @throws DefinitionBuildError `missing_dependency` naming the package.
 */
export function requireConverter(
  definition: string,
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): void {
  try {
    resolve(packageName)
  } catch (cause) {
    throw new DefinitionBuildError('missing_dependency', definition, packageName, { cause })
  }
}

/** A page as Markdown. */
export interface PageText {
  readonly markdown: string
  readonly isTruncated: boolean
}

/**
 * Converts a page, piece by piece, until so many bytes of Markdown are there. Other work goes on in between, so no page
 * holds up the process.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function toMarkdown(html: string, maxBytes: number, signal: AbortSignal): Promise<PageText> {
  const converter = await loadConverter()
  const title = pageTitle(html)
  let markdown = title === '' ? '' : `Title: ${title}\n\n`
  for (const piece of htmlPieces(html)) {
    await nextTurn()
    signal.throwIfAborted()
    const converted = convert(converter, piece.html)
    if (converted === '') continue
    markdown += `${converted}${piece.isCut ? '\n' : '\n\n'}`
    if (markdown.length > maxBytes * 2 || byteLength(markdown) > maxBytes) {
      return { markdown: headWithin(markdown, maxBytes), isTruncated: true }
    }
  }
  return { markdown: markdown.trimEnd(), isTruncated: false }
}

let loading: Promise<NodeHtmlMarkdown> | undefined

function loadConverter(): Promise<NodeHtmlMarkdown> {
  loading ??= import(packageName).then(
    (module: typeof import('node-html-markdown')) => new module.NodeHtmlMarkdown({ maxConsecutiveNewlines: 2 }),
  )
  return loading
}

/** A piece that the converter fails at keeps its text. */
function convert(converter: NodeHtmlMarkdown, html: string): string {
  try {
    return converter.translate(html)
  } catch {
    const texts = [...htmlTokens(html)].map((token) => (token.kind === 'text' ? token.text : ' '))
    return decodeEntities(texts.join('')).trim()
  }
}

/** The title, from the start of a page. */
function pageTitle(html: string): string {
  const [, title = ''] = /<title[^>]{0,200}>([^<]{0,1000})/i.exec(html.slice(0, 65_536)) ?? []
  return headWithin(cleanLine(decodeEntities(title)), 300)
}
