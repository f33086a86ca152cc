/** How deep elements nest in what is converted. */
const maxDepth = 32

const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main nav ol p pre section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)

/** Elements that Markdown has something for. Other blocks become `div`, all else is opened up. */
const kept: ReadonlySet<string> = new Set(
  'a b blockquote br code dd del dl dt em h1 h2 h3 h4 h5 h6 hr i img kbd li ol p pre s samp strike strong table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)

const empty: ReadonlySet<string> = new Set(['br', 'hr', 'img'])

/** A piece does not end inside of these of its own accord. */
const structures: ReadonlySet<string> = new Set('a blockquote dl h1 h2 h3 h4 h5 h6 ol pre table ul'.split(' '))

/** What an opening element ends without a closing tag, and where that search stops. */
const ends: Readonly<Record<string, { readonly names: readonly string[]; readonly within: readonly string[] }>> = {
  li: { names: ['li'], within: ['ul', 'ol'] },
  dt: { names: ['dt', 'dd'], within: ['dl'] },
  dd: { names: ['dt', 'dd'], within: ['dl'] },
  td: { names: ['td', 'th'], within: ['table'] },
  th: { names: ['td', 'th'], within: ['table'] },
  tr: { names: ['tr'], within: ['table'] },
  tbody: { names: ['thead', 'tbody', 'tfoot'], within: ['table'] },
  tfoot: { names: ['thead', 'tbody', 'tfoot'], within: ['table'] },
  a: { names: ['a'], within: ['table'] },
}

const endOfParagraph = { names: ['p'], within: ['td', 'th', 'li', 'dd', 'blockquote', 'table'] } as const

/** The elements that are open where a page is read. Everything that it gives is well-formed HTML. */
export class OpenElements {
  readonly #stack: { readonly name: string; readonly tag: string }[] = []

  /** Inside a list, table or the like. */
  get isInStructure(): boolean {
    return this.#stack.some(({ name }) => structures.has(name))
  }

  isBlock(name: string): boolean {
    return blocks.has(name)
  }

  /** Opens an element; gives what to write for it, with the ends that it brings. */
  open(name: string, attributes: ReadonlyMap<string, string>): string {
    const shown = kept.has(name) ? name : blocks.has(name) ? 'div' : undefined
    if (shown === undefined) return ''
    const ended = (blocks.has(name) ? this.#end(endOfParagraph) : '') + (ends[name] ? this.#end(ends[name]) : '')
    const tag = `<${shown}${shownAttributes(shown, attributes)}>`
    if (empty.has(shown)) return ended + tag
    // its end will find nothing to close, or an equal one further out
    if (this.#stack.length >= maxDepth) return ended
    this.#stack.push({ name: shown, tag })
    return ended + tag
  }

  /** Closes an element and what is open in it; gives what to write. An end of nothing is nothing. */
  close(name: string): string {
    const shown = kept.has(name) ? name : blocks.has(name) ? 'div' : undefined
    const index = this.#stack.findLastIndex((element) => element.name === shown)
    return index === -1 ? '' : this.#popTo(index)
  }

  /** The ends of all that is open, which stays open. */
  closing(): string {
    return this.#stack
      .map(({ name }) => `</${name}>`)
      .reverse()
      .join('')
  }

  /** The starts of all that is open. */
  reopening(): string {
    return this.#stack.map(({ tag }) => tag).join('')
  }

  #end({ names, within }: { readonly names: readonly string[]; readonly within: readonly string[] }): string {
    const limit = this.#stack.findLastIndex(({ name }) => within.includes(name))
    const index = this.#stack.findLastIndex(({ name }) => names.includes(name))
    return index > limit ? this.#popTo(index) : ''
  }

  #popTo(index: number): string {
    return this.#stack
      .splice(index)
      .map(({ name }) => `</${name}>`)
      .reverse()
      .join('')
  }
}

/** The most characters of a URL that are shown: longer ones are data. */
const maxUrlLength = 2_048

function shownAttributes(name: string, attributes: ReadonlyMap<string, string>): string {
  switch (name) {
    case 'a':
      return shownUrl('href', attributes.get('href'))
    case 'img':
      return shownUrl('src', attributes.get('src')) + shownText('alt', attributes.get('alt')?.slice(0, 500))
    case 'code':
    case 'pre':
      return shownText('class', /(?:^|\s)(language-[\w+#.-]{1,40})/.exec(attributes.get('class') ?? '')?.[1])
    default:
      return ''
  }
}

function shownUrl(name: string, url: string | undefined): string {
  const isShown =
    url !== undefined && url.length <= maxUrlLength && !/^[\s\u0000-\u0020]*(?:javascript|data|vbscript):/i.test(url)
  return shownText(name, isShown ? url : undefined)
}

function shownText(name: string, value: string | undefined): string {
  return value === undefined
    ? ''
    : ` ${name}="${value.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}"`
}
