/** How a skill may be called: it becomes the name of a folder, so nothing that a path could mean. */
const skillName = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Says whether a text can be the name of a skill. Looks at no file. */
export function isSkillName(text: string): boolean {
  return skillName.test(text)
}
