import type { Answer, Part } from '../compose.ts'
import { baseName } from '../language.ts'
import type { ManifestFact } from '../manifest.ts'
import type { Plan } from '../plan.ts'
import type { Fact } from '../question.ts'
import { placesAmong } from '../rank.ts'
import { sectionOf } from '../readme.ts'
import { compareLines } from '../sighting.ts'
import { cite, citeVerbatim, type SourceLine } from '../source-line.ts'
import { grep, readFile } from '../tool-call.ts'
import { type Project, projectFacts, readDeeper, readProject } from './project.ts'

interface Source {
  readonly noun: string
  readonly manifest: ManifestFact
  /** Which lines of the manifest count. */
  readonly only?: RegExp
  /** The heading of the readme that tells it. */
  readonly heading: RegExp
}

const sources: Record<Fact, Source> = {
  install: {
    noun: 'how to install it',
    manifest: 'commands',
    only: /install|setup|bootstrap/i,
    heading: /install|set ?up|getting started|quick ?start/i,
  },
  build: {
    noun: 'how to build it',
    manifest: 'commands',
    only: /build|compile|bundle|all\s*:|make/i,
    heading: /build|compil|develop|contribut/i,
  },
  run: {
    noun: 'how to run it',
    manifest: 'commands',
    only: /start|run|serve|dev|cli/i,
    heading: /usage|run|quick ?start|getting started|example|basic/i,
  },
  test: { noun: 'how to test it', manifest: 'commands', only: /test|check|spec|lint/i, heading: /test/i },
  licence: { noun: 'its licence', manifest: 'licence', heading: /licen[cs]e/i },
  dependencies: { noun: 'its dependencies', manifest: 'dependencies', heading: /dependenc|requirement|prerequisite/i },
  entry: { noun: 'its entry points', manifest: 'entry', heading: /entry point/i },
  version: { noun: 'its version', manifest: 'identity', only: /version/i, heading: /version|release/i },
}

const entrySearch = String.raw`^(?:func |\s*(?:pub )?(?:async )?fn |\s*public static void |(?:int|void)\s+|if __name__ == .__)main(?:\s*\(|__.)`

/** Answers what manifests, readme and licence files tell. */
export function* factPlan(fact: Fact): Plan {
  const project = yield* readProject()
  const source = sources[fact]
  const told = toldBy(project, source)
  const section = fact === 'version' ? [] : sectionOf(project.readme, source.heading)
  const more = yield* furtherLines(fact, project)
  if (told.length + section.length + more.length > 0) return answer(source, told, section, more)
  return answer(source, toldBy({ manifests: yield* readDeeper(project) }, source), [], [])
}

function toldBy(project: Pick<Project, 'manifests'>, { manifest, only }: Source): readonly SourceLine[] {
  return projectFacts(project, manifest).filter(({ text }) => only?.test(text) !== false)
}

function* furtherLines(fact: Fact, { paths }: Project): Plan<readonly SourceLine[]> {
  if (fact === 'entry') {
    const found = (yield [grep(entrySearch)]).found(0).lines
    const placeOf = placesAmong(paths)
    return found.filter(({ path }) => placeOf(path) === 'source').sort(compareLines)
  }
  const licence = paths.find((path) => /^(?:licen[cs]e|copying|unlicense)(?:[.-]\w+)*$/i.test(path))
  if (fact !== 'licence' || licence === undefined) return []
  const { lines } = (yield [readFile(licence, 1, 12)]).read(0)
  return lines.filter(({ text }) => text.trim() !== '').slice(0, 4)
}

function answer(
  { noun }: Source,
  told: readonly SourceLine[],
  section: readonly SourceLine[],
  more: readonly SourceLine[],
): Answer {
  if (told.length + section.length + more.length === 0) return { opening: `I found nothing that tells ${noun}.` }
  const files = [...new Set([...told, ...section, ...more].map(({ path }) => baseName(path)))]
  const parts: Part[] = [
    { lines: [...told, ...more].map(cite), most: 16 },
    { title: 'From the readme', lines: section.map(citeVerbatim), most: told.length + more.length > 0 ? 9 : 20 },
  ]
  return {
    opening: `This is what ${files.slice(0, 4).join(', ')} tells about ${noun.replace(/^its /, 'the ')}.`,
    parts,
  }
}
