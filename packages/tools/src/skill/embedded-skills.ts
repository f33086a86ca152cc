import { byteLength, deepFreeze, isLooprigError } from '@looprig/core'
import { DefinitionBuildError } from '../contract/errors.ts'
import { maxSkillBytes, parseSkill, type SkillDocument } from './skill-document.ts'
import { isSkillName } from './skill-name.ts'

/** The skills that come with an application, by name: the texts of their `SKILL.md`. */
export type EmbeddedSkills = Readonly<Record<string, string>>

/**
 * Reads all of them at once.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the one that cannot be read.
 */
export function readEmbeddedSkills(embedded: EmbeddedSkills): ReadonlyMap<string, SkillDocument> {
  return new Map(Object.entries(embedded).map(([name, text]) => [name, readEmbedded(name, text)]))
}

function readEmbedded(name: string, text: string): SkillDocument {
  const field = `embedded.${isSkillName(name) ? name : 'name'}`
  if (!isSkillName(name) || byteLength(text) > maxSkillBytes) {
    throw new DefinitionBuildError('invalid_definition', 'Skill', field)
  }
  try {
    return deepFreeze(parseSkill(name, text))
  } catch (cause) {
    if (!isLooprigError(cause)) throw cause
    throw new DefinitionBuildError('invalid_definition', 'Skill', field, { cause })
  }
}
