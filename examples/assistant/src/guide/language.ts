/** A family of languages that define names in the same way. */
export type Language = 'script' | 'python' | 'go' | 'rust' | 'java' | 'c' | 'shell' | 'make' | 'other'

const extensions: readonly (readonly [Language, string])[] = [
  ['script', 'ts tsx mts cts js jsx mjs cjs vue svelte astro'],
  ['python', 'py pyi pyx pyw'],
  ['go', 'go'],
  ['rust', 'rs'],
  ['java', 'java kt kts scala cs swift groovy gradle dart'],
  ['c', 'c h cc cpp cxx hh hpp hxx inl ipp m mm cu'],
  ['shell', 'sh bash zsh ksh bats'],
  ['make', 'mk mak'],
  ['other', 'rb pl pm php lua ex exs jl r ml hs zig nim sql vim el clj'],
]

const byExtension = new Map(extensions.flatMap(([language, list]) => list.split(' ').map((name) => [name, language])))

/** What a question may call a language, and the extensions of its files. */
export const languageNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['typescript', ['ts', 'tsx', 'mts', 'cts']],
  ['javascript', ['js', 'jsx', 'mjs', 'cjs']],
  ['python', ['py']],
  ['go', ['go']],
  ['golang', ['go']],
  ['rust', ['rs']],
  ['java', ['java']],
  ['kotlin', ['kt', 'kts']],
  ['c', ['c', 'h']],
  ['c++', ['cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx']],
  ['cpp', ['cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx']],
  ['header', ['h', 'hh', 'hpp', 'hxx']],
  ['shell', ['sh', 'bash', 'zsh']],
  ['bash', ['sh', 'bash']],
  ['ruby', ['rb']],
  ['perl', ['pl', 'pm']],
  ['php', ['php']],
  ['markdown', ['md', 'mdx']],
  ['json', ['json']],
  ['yaml', ['yaml', 'yml']],
  ['html', ['html', 'htm']],
  ['css', ['css', 'scss']],
])

const fileNames =
  /^(?:README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|CONTRIBUTING|AUTHORS|Makefile|Dockerfile|Gemfile|Rakefile)$/i

const otherExtensions = new Set(
  'md mdx rst txt json jsonc yaml yml toml ini cfg conf xml html htm css scss less svg lock proto graphql env csv tsv po in am ac cmake'.split(
    ' ',
  ),
)

/** The extension of a path in lower case, or nothing. */
export function extensionOf(path: string): string {
  return /[^/.][^/]*\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** The languages that a file may be in; a file without an extension may be a script of several. */
export function languagesOf(path: string): readonly Language[] {
  if (/(?:^|\/)(?:GNU)?[Mm]akefile[^/]*$/.test(path)) return ['make']
  const extension = extensionOf(path)
  if (extension === '') return fileNames.test(baseName(path)) ? [] : ['shell', 'python', 'other']
  const language = byExtension.get(extension)
  return language === undefined ? [] : [language]
}

/** Whether a word of a question names a file by its ending or by a name that everybody uses. */
export function looksLikeFile(word: string): boolean {
  const extension = extensionOf(word)
  return byExtension.has(extension) || otherExtensions.has(extension) || fileNames.test(baseName(word))
}

/** The last segment of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
