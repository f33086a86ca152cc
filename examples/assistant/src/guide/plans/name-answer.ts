import type { Answer, Part } from '../compose.ts'
import type { Place } from '../rank.ts'
import { type Sighting, spread } from '../sighting.ts'
import { cite, citeVerbatim, inlineCode, type SourceLine } from '../source-line.ts'
import type { NameFocus } from './name-question.ts'

/** What was found out about a name. */
export interface NameFindings {
  readonly name: string
  readonly focus: NameFocus
  /** Best first. */
  readonly definitions: readonly Sighting[]
  readonly uses: readonly Sighting[]
  /** The lines of the best definition, where it is to be explained. */
  readonly body: readonly SourceLine[]
  /** A search returned fewer lines than there are. */
  readonly isCapped: boolean
}

const useTitles: Record<NameFocus, string> = {
  definition: 'Used, for example, at',
  explanation: 'Used, for example, at',
  use: 'Used at',
  call: 'Called at',
  test: 'In tests and examples at',
}

const placeNames: Record<Place, string> = {
  source: '',
  test: ' of tests or examples',
  stub: ' of type stubs',
  build: ' of build output',
  vendored: ' of dependencies',
}

/** Writes the answer: definitions first, then uses. */
export function answerAboutName(findings: NameFindings): Answer {
  const { focus, definitions, body, isCapped } = findings
  const uses = findings.uses.filter(
    ({ line }) => !body.some(({ path, line: at }) => path === line.path && at === line.line),
  )
  const dwellsOnUses = focus !== 'definition' && focus !== 'explanation'
  const place = definitions[0]?.place
  const main = definitions.filter((definition) => definition.place === place)
  const others = definitions.filter((definition) => definition.place !== place)
  const parts: Part[] = [
    { lines: main.map(({ line }) => cite(line)), most: dwellsOnUses ? 3 : 8 },
    { title: 'The first reads', lines: body.length > 1 ? body.map(citeVerbatim) : [], most: 11 },
    {
      title: 'Also in tests, type stubs or build output',
      lines: focus === 'definition' ? citeAll(others) : [],
      most: 3,
    },
    { title: useTitles[focus], lines: citeAll(spread(uses, 3)), most: dwellsOnUses ? 20 : 7 },
  ]
  const notes = isCapped ? ['One search returns a limited number of matches; there may be more.'] : []
  return { opening: openingOf(findings, main), parts, notes }
}

function openingOf({ name, focus, definitions, uses, isCapped }: NameFindings, main: readonly Sighting[]): string {
  const kind = { definition: 'use', explanation: 'use', use: 'use', call: 'call', test: 'use in tests' }[focus]
  const amount = uses.length === 0 ? 'no' : `${isCapped ? 'at least ' : ''}${uses.length}`
  const used = uses.length === 1 ? `1 ${kind}` : `${amount} ${kind.replace(/^\w+/, '$&s')}`
  const [best] = definitions
  if (best === undefined && uses.length === 0) return `I found no definition of ${inlineCode(name)} and ${used}.`
  if (best === undefined) return `I found no definition of ${inlineCode(name)}, but ${used}.`
  const standing = best.standing ?? 'definition'
  const verb = {
    definition: 'is defined',
    member: 'is defined',
    declaration: 'is declared',
    possible: 'may be defined',
  }[standing]
  const lines = main.length === 1 ? '1 line' : `${main.length} lines`
  return `${inlineCode(name)} ${verb} on ${lines}${placeNames[best.place]}; I found ${used}.`
}

function citeAll(sightings: readonly Sighting[]): readonly string[] {
  return sightings.map(({ line }) => cite(line))
}
