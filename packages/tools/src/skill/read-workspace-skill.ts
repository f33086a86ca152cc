import { join } from 'node:path'
import { isLooprigError } from '@looprig/core'
import type { ReadGuard } from '../contract/read-guard.ts'
import { readSmallFile } from '../files/read-small-file.ts'
import { skillError } from './codes.ts'
import { maxSkillBytes, parseSkill, type SkillDocument } from './skill-document.ts'

/** Where the skills of a workspace lie, each in a folder of its name. */
export const skillsFolder = '.skills'

/** A skill of the workspace, and the file that it was read from. */
export interface WorkspaceSkill extends SkillDocument {
  /** Absolute and canonical. */
  readonly path: string
}

/**
 * Reads `.skills/<name>/SKILL.md` once, without following any link.
 *
 * @param root - the workspace, canonical.
 * @param name - checked by `isSkillName`.
 * @throws ToolError `skill_not_found`, `skill_refused`, `skill_malformed`.
 */
export async function readWorkspaceSkill(root: string, name: string, guard: ReadGuard): Promise<WorkspaceSkill> {
  const path = join(root, skillsFolder, name, 'SKILL.md')
  // whether it is there is not told
  if (guard.deniedRead(path)) throw skillError('skill_not_found', `no skill is called ${name}`)
  const display = `the skill ${name}`
  const { bytes } = await readSmallFile(root, path, { display, maxBytes: maxSkillBytes }).catch((error: unknown) => {
    throw refusalOf(error, name)
  })
  return { ...parseSkill(name, textOf(bytes)), path }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw skillError('skill_malformed', 'the skill cannot be read: it is not UTF-8', cause)
  }
}

function refusalOf(error: unknown, name: string): unknown {
  if (!isLooprigError(error)) return error
  switch (error.code) {
    case 'not_found':
    case 'not_a_folder':
      return skillError('skill_not_found', `no skill is called ${name}`, error)
    case 'too_large':
      return skillError('skill_malformed', `the skill cannot be read: it has more than ${maxSkillBytes} bytes`, error)
    default:
      return skillError('skill_refused', `the skill ${name} is no regular file that is reached without links`, error)
  }
}
