import { factLines, type ManifestFact, manifestsAmong } from '../manifest.ts'
import type { Plan } from '../plan.ts'
import { comparePaths, depthOf } from '../rank.ts'
import { readmesAmong } from '../readme.ts'
import type { SourceLine } from '../source-line.ts'
import { readFile, type ToolCall } from '../tool-call.ts'
import { listAll } from './listing.ts'

/** A manifest and its lines. */
export interface ReadManifest {
  readonly path: string
  readonly lines: readonly SourceLine[]
}

/** What a project says about itself. */
export interface Project {
  /** All files, as far as they were listed. */
  readonly paths: readonly string[]
  readonly isCapped: boolean
  readonly manifests: readonly ReadManifest[]
  /** Manifests below those, not read. */
  readonly deeper: readonly string[]
  /** The lines of its readme. */
  readonly readme: readonly SourceLine[]
}

/** The most manifests that are read. */
const maxManifests = 3

/** Lists the files, then reads the readme and the manifests next to the root. */
export function* readProject(): Plan<Project> {
  const { paths, isCapped } = yield* listAll()
  const near = paths.filter((path) => depthOf(path) <= 2).sort(comparePaths)
  const all = manifestsAmong(near)
  const manifests = nearest(all).slice(0, maxManifests)
  const deeper = all.filter((path) => !manifests.includes(path))
  const depth = manifests[0] === undefined ? 0 : depthOf(manifests[0])
  const readme = readmesAmong(near).find((path) => depthOf(path) <= depth)
  const calls: ToolCall[] = manifests.map((path) => readFile(path, 1, 400))
  if (readme !== undefined) calls.push(readFile(readme, 1, 400))
  if (calls.length === 0) return { paths, isCapped, manifests: [], deeper, readme: [] }
  const read = yield calls
  return {
    paths,
    isCapped,
    manifests: manifests.map((path, index) => ({ path, lines: read.read(index).lines })),
    deeper,
    readme: readme === undefined ? [] : read.read(manifests.length).lines,
  }
}

/** Reads some of the manifests below the nearest ones. */
export function* readDeeper({ deeper }: Project): Plan<readonly ReadManifest[]> {
  const paths = deeper.slice(0, maxManifests)
  if (paths.length === 0) return []
  const read = yield paths.map((path) => readFile(path, 1, 400))
  return paths.map((path, index) => ({ path, lines: read.read(index).lines }))
}

/** The lines of manifests that tell a fact. */
export function projectFacts({ manifests }: Pick<Project, 'manifests'>, fact: ManifestFact): readonly SourceLine[] {
  return [...new Set(manifests.flatMap(({ path, lines }) => factLines(path, lines, fact)))]
}

/** Manifests at the root hide those below it. */
function nearest(paths: readonly string[]): readonly string[] {
  const least = Math.min(...paths.map(depthOf))
  return paths.filter((path) => depthOf(path) === least)
}
