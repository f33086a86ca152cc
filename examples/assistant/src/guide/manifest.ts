import { baseName } from './language.ts'
import type { SourceLine } from './source-line.ts'

/** What a manifest tells. */
export type ManifestFact = 'identity' | 'entry' | 'dependencies' | 'commands' | 'licence'

interface LineRule {
  readonly match: RegExp
  /** Only between a line that matches this one and the next that matches `until`. */
  readonly within?: RegExp
  readonly until?: RegExp
  /** Only lines, or sections, that are indented as little as the first member of a JSON file. */
  readonly outermost?: boolean
}

interface Manifest {
  readonly file: RegExp
  readonly rules: { readonly [F in ManifestFact]?: readonly LineRule[] }
}

const member = /^\s*"[^"]+"\s*:/
const tomlTable = /^\[/
const setting = /^\s*[\w."-]+\s*=/

/** The manifests of the common languages, the more telling first. */
const manifests: readonly Manifest[] = [
  {
    file: /^package\.json$/,
    rules: {
      identity: [{ match: /^\s*"(?:name|description|version)"\s*:/, outermost: true }],
      entry: [
        { match: /^\s*"(?:main|module|types|browser|bin|exports)"\s*:/, outermost: true },
        { match: member, within: /^\s*"bin"\s*:\s*\{\s*$/, until: /^\s*\}/ },
        { match: member, within: /^\s*"exports"\s*:\s*\{\s*$/, until: /^\s{0,2}\}/, outermost: true },
      ],
      dependencies: [
        { match: member, within: /^\s*"(?:peerD|optionalD|d)ependencies"\s*:\s*\{\s*$/, until: /^\s*\}/ },
        { match: member, within: /^\s*"devDependencies"\s*:\s*\{\s*$/, until: /^\s*\}/ },
      ],
      commands: [{ match: member, within: /^\s*"scripts"\s*:\s*\{\s*$/, until: /^\s*\}/ }],
      licence: [{ match: /^\s*"licen[cs]e"\s*:/, outermost: true }],
    },
  },
  {
    file: /^pyproject\.toml$/,
    rules: {
      identity: [
        { match: /^(?:name|description|version)\s*=/, within: /^\[(?:project|tool\.poetry)\]/, until: tomlTable },
      ],
      entry: [{ match: setting, within: /^\[(?:project\.(?:gui-)?scripts|tool\.poetry\.scripts)\]/, until: tomlTable }],
      dependencies: [
        { match: /^\s*["']/, within: /^dependencies\s*=\s*\[/, until: /^\s*\]/ },
        { match: setting, within: /^\[tool\.poetry\.(?:group\.\w+\.)?dependencies\]/, until: tomlTable },
      ],
      commands: [
        { match: setting, within: /^\[(?:project\.scripts|tool\.\w+\.(?:scripts|tasks))\]/, until: tomlTable },
      ],
      licence: [{ match: /^license\s*=/ }],
    },
  },
  {
    file: /^Cargo\.toml$/,
    rules: {
      identity: [{ match: /^(?:name|description|version)\s*=/, within: /^\[package\]/, until: tomlTable }],
      entry: [{ match: /^(?:name|path)\s*=/, within: /^\[(?:\[bin\]|lib)\]/, until: tomlTable }],
      dependencies: [
        { match: setting, within: /^\[(?:[\w.'()"=]+\.)?(?:dev-|build-)?dependencies\]/, until: tomlTable },
      ],
      licence: [{ match: /^license(?:-file)?\s*=/ }],
    },
  },
  {
    file: /^go\.mod$/,
    rules: {
      identity: [{ match: /^(?:module|go)\s/ }],
      dependencies: [{ match: /^require\s+[^(]/ }, { match: /^\s+\S+ v/, within: /^require\s*\(/, until: /^\)/ }],
    },
  },
  {
    file: /^pom\.xml$/,
    rules: {
      identity: [{ match: /^(?: {2,4}|\t)<(?:groupId|artifactId|name|description|version)>/ }],
      entry: [{ match: /<mainClass>/ }],
      dependencies: [{ match: /<artifactId>/, within: /<dependencies>/, until: /<\/dependencies>/ }],
      licence: [{ match: /<(?:name|url)>/, within: /<licenses>/, until: /<\/licenses>/ }],
    },
  },
  {
    file: /^build\.gradle(?:\.kts)?$/,
    rules: {
      identity: [{ match: /^(?:group|version|description)\b/ }],
      entry: [{ match: /\bmainClass\b/ }],
      dependencies: [{ match: /^\s*(?:implementation|api|testImplementation|compileOnly|runtimeOnly)\b/ }],
    },
  },
  {
    file: /^CMakeLists\.txt$/,
    rules: {
      identity: [{ match: /^\s*project\s*\(/i }],
      entry: [{ match: /^\s*add_(?:executable|library)\s*\(/i }],
      dependencies: [{ match: /^\s*(?:find_package|target_link_libraries)\s*\(/i }],
    },
  },
  {
    file: /^setup\.(?:py|cfg)$/,
    rules: {
      identity: [{ match: /^\s*(?:name|description|version)\s*=/ }],
      entry: [{ match: /\bconsole_scripts\b/ }],
      dependencies: [{ match: /^\s*(?:install_requires|requires)\s*=/ }],
      licence: [{ match: /^\s*license\s*=/ }],
    },
  },
  {
    file: /^(?:GNU)?[Mm]akefile$/,
    rules: { commands: [{ match: /^[A-Za-z][\w.-]*\s*:(?!=)/ }] },
  },
  {
    file: /^requirements[\w.-]*\.txt$/,
    rules: { dependencies: [{ match: /^[A-Za-z]/ }] },
  },
]

/** Picks the manifests among paths, the more telling first. */
export function manifestsAmong(paths: readonly string[]): readonly string[] {
  return manifests.flatMap(({ file }) => paths.filter((path) => file.test(baseName(path))))
}

/** Picks the lines of a manifest that tell a fact, in the order of its rules; a section comes with its first line. */
export function factLines(path: string, lines: readonly SourceLine[], fact: ManifestFact): readonly SourceLine[] {
  const manifest = manifests.find(({ file }) => file.test(baseName(path)))
  return (manifest?.rules[fact] ?? []).flatMap((rule) => linesOfRule(lines, rule))
}

function linesOfRule(lines: readonly SourceLine[], { match, within, until, outermost }: LineRule): SourceLine[] {
  const margin = outermost === true ? indentOf(lines.find(({ text }) => member.test(text))?.text ?? '') : undefined
  const picked: SourceLine[] = []
  let head: SourceLine | undefined
  let isInside = within === undefined
  for (const line of lines) {
    if (isInside && until?.test(line.text) === true) isInside = false
    const fits = margin === undefined || indentOf(line.text) === margin
    if (isInside && match.test(line.text) && (fits || within !== undefined)) {
      if (head !== undefined) picked.push(head)
      head = undefined
      picked.push(line)
    }
    if (within?.test(line.text) === true && fits) {
      isInside = true
      head = line
    }
  }
  return picked
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}
