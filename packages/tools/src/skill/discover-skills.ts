import { opendir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReadGuard } from '../contract/read-guard.ts'
import { readWorkspaceSkill, skillsFolder } from './read-workspace-skill.ts'
import type { SkillSummary } from './skill-document.ts'
import { isSkillName } from './skill-name.ts'

/** More entries than this is no folder of skills. */
const maxEntries = 256
const maxInspected = 64
const maxListed = 32

/**
 * Finds the skills of a workspace, for the list that its model is shown: by name, at most 32. What cannot be read as a
 * skill is passed over; a folder with more than 256 entries has none.
 */
export async function discoverSkills(root: string, readGuard: ReadGuard): Promise<readonly SkillSummary[]> {
  const canonical = await realpath(root)
  const found: SkillSummary[] = []
  for (const name of (await skillNames(canonical)).slice(0, maxInspected)) {
    if (found.length === maxListed) break
    try {
      const { description } = await readWorkspaceSkill(canonical, name, readGuard)
      found.push({ name, description })
    } catch {
      // who asks for it by name is told why
    }
  }
  return found
}

/** A link in its place names nothing: each skill is read on its own, without following any. */
async function skillNames(root: string): Promise<readonly string[]> {
  const names: string[] = []
  try {
    for await (const entry of await opendir(join(root, skillsFolder))) {
      if (names.length === maxEntries) return []
      names.push(entry.name)
    }
  } catch {
    return []
  }
  return names.filter(isSkillName).sort()
}
