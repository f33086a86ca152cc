import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { decodeEntities } from '../../src/web/html/decode-entities.ts'
import { htmlPieces } from '../../src/web/html/html-pieces.ts'
import { htmlTokens } from '../../src/web/html/html-token.ts'
import { toMarkdown } from '../../src/web/html/to-markdown.ts'
import { textOfResult } from '../support/call-tool.ts'
import { contentOf, fetchFrom } from './call-fetch.ts'
import { serve } from './local-server.ts'

const page = (html: string) =>
  serve((_request, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html))

const convert = async (html: string) => (await toMarkdown(html, 65_536, new AbortController().signal)).markdown

const tenMegabytes = (part: string, before = '') => before + part.repeat(Math.ceil((10 << 20) / part.length))

describe('a page', () => {
  it('comes as Markdown', async () => {
    const server = await page(`<!doctype html><html><head><title>Fish &amp; chips</title><style>p { color: red }</style>
      <script>const html = '<p>not text</p>'</script></head><body><!-- <p>no</p> --><nav><a href="/home">Home</a></nav>
      <h1>Fish</h1><p>Some <b>bold</b>, <em>soft</em> and <code>plain()</code> text &mdash; a &lt; b.</p>
      <ul><li>one<li>two<ul><li>deeper</ul></ul><p>then</p><ol><li>first</li><li>second</li></ol>
      <pre><code class="hl language-js">const a = 1
  indented()</code></pre><blockquote>said</blockquote><table><tr><th>a<th>b<tr><td>1<td>2</table>
      <img src="/x.png" alt="a fish"><svg><text>drawn</text></svg><noscript>switch it on</noscript></body></html>`)

    expect(contentOf(await fetchFrom(server))).toBe(`Title: Fish & chips

[Home](/home)

# Fish

Some **bold**, _soft_ and \`plain()\` text — a < b.

* one
* two
  * deeper

then

1. first
2. second

\`\`\`js
const a = 1
  indented()
\`\`\`

> said

| a | b |
| - | - |
| 1 | 2 |

![a fish](/x.png)
`)
  })

  it('comes as it was written where an application wants that', async () => {
    const html = '<p>Hello <b>you</b></p>'

    expect(contentOf(await fetchFrom(await page(html), {}, { html: 'source' }))).toBe(`${html}\n`)
  })

  it('keeps no link that runs code or holds data', async () => {
    const html =
      '<a href=" javascript:alert(1)">one</a> <img src="data:image/png;base64,AAAA" alt="two"> <a href="x">three</a>'

    const markdown = await convert(html)

    expect(markdown).not.toMatch(/javascript|base64/)
    expect(markdown).toContain('[three](x)')
  })

  it('goes on over more pieces than one, without a loss', async () => {
    const paragraphs = Array.from({ length: 900 }, (_, index) => `<div><p>paragraph ${index}</p></div>`)
    const rows = Array.from({ length: 400 }, (_, index) => `<tr><td>row ${index}</td></tr>`)
    const html = `<main>${paragraphs.join('')}<table>${rows.join('')}</table></main>`

    const markdown = await convert(html)

    expect([...htmlPieces(html)].length).toBeGreaterThan(5)
    expect(markdown.match(/paragraph \d+/g)).toEqual(paragraphs.map((_, index) => `paragraph ${index}`))
    expect(markdown.match(/row \d+/g)).toEqual(rows.map((_, index) => `row ${index}`))
  })

  it('keeps the lines and characters of a long listing and of a long word', async () => {
    const lines = Array.from({ length: 1_500 }, (_, index) => `  call(${index}) // a b`)
    const word = '🙂'.repeat(6_000)

    const markdown = await convert(`<pre><code class="language-js">${lines.join('\n')}</code></pre><p>x${word}</p>`)

    expect(markdown.split('\n').filter((line) => line.includes('call('))).toEqual(lines)
    expect(markdown.match(/```/g)?.length).toBeGreaterThan(2)
    expect(markdown).not.toContain('\ufffd')
    expect(markdown.match(/🙂/gu)).toHaveLength(6_000)
  })

  it('ends at 64 KiB of Markdown with a notice', async () => {
    const result = await fetchFrom(await page('<p>some words</p>'.repeat(20_000)))

    expect(Buffer.byteLength(contentOf(result))).toBeLessThanOrEqual(65_537)
    expect(textOfResult(result)).toMatch(/\n\[body truncated at 65536 bytes\]$/)
  })

  it('is read to 2 MiB and says so', async () => {
    const result = await fetchFrom(await page(`<p>start</p>${' '.repeat(3 << 20)}<p>end</p>`))

    expect(contentOf(result)).toBe('start\n')
    expect(textOfResult(result)).toMatch(/\n\[only the first 2097152 bytes of the page were read\]$/)
  })

  it.each([
    ['open elements', tenMegabytes('<div>')],
    ['open lists', tenMegabytes('<ul><li>')],
    ['open bold text', tenMegabytes('<b>x')],
    ['open quotations', tenMegabytes('<blockquote>x')],
    ['open tables', tenMegabytes('<table><tr><td>')],
    ['open links', tenMegabytes('<a href=x>')],
    ['nothing but openings', tenMegabytes('<')],
    ['attributes without an end', tenMegabytes('x="', '<a ')],
    ['comments without an end', tenMegabytes('<!--')],
    ['comments', tenMegabytes('<!---->')],
    ['scripts', tenMegabytes('<script>')],
    ['closings', tenMegabytes('</div>')],
    ['line ends in a listing', tenMegabytes('\n', '<pre>x')],
    ['one word', tenMegabytes('x')],
    ['blocks in text', tenMegabytes('<div><b>')],
    ['breaks', tenMegabytes('<br>x')],
  ])('of 10 MB that is %s neither overflows nor holds up the process', async (_name, html) => {
    await convert('<p>the converter is loaded</p>')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    const server = await page(html)
    delay.enable()

    const result = await fetchFrom(server)

    delay.disable()
    expect(result.isError).toBe(false)
    expect(delay.max / 1e6).toBeLessThan(1_000)
  })

  it('stops being converted when the call is interrupted', async () => {
    const controller = new AbortController()
    const converting = toMarkdown('<p>x</p>'.repeat(100_000), 65_536, controller.signal)

    controller.abort(new Error('stop'))

    await expect(converting).rejects.toThrow('stop')
  })
})

describe('the pieces of a page', () => {
  it('are small, well formed and flat, whatever the page is', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      for (const { html } of htmlPieces(randomHtml(seed))) {
        expect(html.length).toBeLessThan(20_000)
        expect(unbalanced(html)).toEqual([])
      }
    }
  })
})

describe('the tokens of a page', () => {
  it('are found in whatever comes, without an error', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const html = randomHtml(seed)
      let length = 0
      for (const token of htmlTokens(html)) length += token.kind === 'text' ? token.text.length : 0
      expect(length).toBeLessThanOrEqual(html.length)
    }
  })

  it('know quotes, case, white space and what is no tag', () => {
    const html = `a < b <A HREF = "x>y" b='1' c=2 d>t</A ><br/><!-- <i> --><?php ><Script>if (a</b) "</scr"</SCRIPT >z`

    expect(
      [...htmlTokens(html)].map((token) =>
        'attributes' in token ? { ...token, attributes: [...token.attributes] } : token,
      ),
    ).toEqual([
      { kind: 'text', text: 'a < b ' },
      {
        kind: 'open',
        name: 'a',
        attributes: [
          ['href', 'x>y'],
          ['b', '1'],
          ['c', '2'],
          ['d', ''],
        ],
      },
      { kind: 'text', text: 't' },
      { kind: 'close', name: 'a' },
      { kind: 'open', name: 'br', attributes: [] },
      { kind: 'open', name: 'script', attributes: [] },
      { kind: 'close', name: 'script' },
      { kind: 'text', text: 'z' },
    ])
  })

  it('have their references decoded, broken ones too', () => {
    expect(decodeEntities('&lt;a&gt; &amp;amp; &#39;&#x1F642; &#0; &#xD800; &#1114112; &nope; &')).toBe(
      "<a> &amp; '🙂 \ufffd \ufffd \ufffd &nope; &",
    )
  })
})

/** A text of parts that parsers stumble over; the same for a seed. */
function randomHtml(seed: number): string {
  const parts = [
    '<',
    '>',
    '/',
    '"',
    "'",
    '=',
    '<!--',
    '-->',
    '<a href=',
    '<b>',
    '</b>',
    '<p',
    '<li>',
    '<ul>',
    '</ul>',
    '<table>',
    '<tr>',
    '<td>',
    '</table>',
    '<script>',
    '</script>',
    '<svg>',
    '</svg>',
    '&',
    '&amp;',
    ' ',
    '\n',
    'text',
    '<div>',
    '</div>',
    '<title>',
    '\0',
    '😀',
    '<h1>',
    '<pre>',
    '<br/>',
    '<img src=x>',
    '<?',
    '<!d',
    '</',
    '<x-y z>',
  ]
  let state = seed * 2_654_435_761
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  return Array.from({ length: 40 + Math.floor(next() * 3_000) }, () => parts[Math.floor(next() * parts.length)]).join(
    '',
  )
}

/** The tags of a piece that do not fit together, or lie too deep. */
function unbalanced(html: string): string[] {
  const open: string[] = []
  const wrong: string[] = []
  for (const [, end, name = ''] of html.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (['br', 'hr', 'img'].includes(name)) continue
    if (end === '') open.push(name)
    else if (open.pop() !== name) wrong.push(name)
    if (open.length > 32) wrong.push(`deep ${name}`)
  }
  return [...wrong, ...open]
}
