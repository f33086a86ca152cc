import type { Answer } from '../compose.ts'
import { extensionOf, languageNames } from '../language.ts'
import type { Plan } from '../plan.ts'
import { placesAmong } from '../rank.ts'
import { firstParagraph } from '../readme.ts'
import { cite } from '../source-line.ts'
import { countByFolder } from './listing.ts'
import { type Project, projectFacts, readProject } from './project.ts'

/** Tells what a project is, by its own words and its layout. */
export function* overviewPlan(): Plan {
  const project = yield* readProject()
  return overviewOf(project)
}

function overviewOf(project: Project): Answer {
  const { paths, isCapped, readme } = project
  if (paths.length === 0) return { opening: 'I found no file in this folder.' }
  const identity = projectFacts(project, 'identity')
  const paragraph = firstParagraph(readme)
  const told = [...identity, ...paragraph]
  const amount = `${isCapped ? 'at least ' : ''}${paths.length === 1 ? '1 file' : `${paths.length} files`}`
  const source =
    told.length === 0
      ? 'I found no manifest and no readme that say what it does.'
      : 'This is what it says about itself; I quote, I do not interpret.'
  return {
    opening: `This folder has ${amount}${mostlyIn(paths)}. ${source}`,
    parts: [
      { lines: identity.map(cite), most: 6 },
      { title: 'From the readme', lines: paragraph.map(cite), most: 6 },
      { title: 'Entry points', lines: projectFacts(project, 'entry').map(cite), most: 5 },
      { title: 'Largest folders', lines: countByFolder(paths), most: told.length === 0 ? 12 : 6 },
    ],
    notes: isCapped ? ['Listings return a limited number of files, so the counts are lower bounds.'] : [],
  }
}

/** The language that most source files are in, when there is one. */
function mostlyIn(paths: readonly string[]): string {
  const placeOf = placesAmong(paths)
  const sources = paths.filter((path) => placeOf(path) === 'source' || placeOf(path) === 'test')
  const names = [...languageNames].filter(([name]) => name !== 'header')
  const counts = names.map(([name, extensions]) => {
    const files = sources.filter((path) => extensions.includes(extensionOf(path)))
    return [name, files.length] as const
  })
  const [name, count] = counts.reduce((most, next) => (next[1] > most[1] ? next : most))
  const shown = name.replace(/^\w/, (letter) => letter.toUpperCase()).replace('script', 'Script')
  return count * 2 < sources.length || count === 0 ? '' : `, the sources mostly ${shown}`
}
