import { skillError } from './codes.ts'
import { isSkillName } from './skill-name.ts'

/** The most bytes of one document. */
export const maxSkillBytes = 65_536

/** The most characters of a description that a model is shown. */
const maxDescriptionCharacters = 1_024

/** What a model is told of a skill before it loads one. */
export interface SkillSummary {
  readonly name: string
  /** One line: when to use it. */
  readonly description: string
}

/** A skill as it was read. */
export interface SkillDocument extends SkillSummary {
  /** What the model gets: all that follows the head. */
  readonly body: string
}

/**
 * Reads a document: a head between two lines of `---`, in which each line is `key: value`, and the body. Of the keys
 * `name` and `description` count; others are passed over. Nothing in it is evaluated.
 *
 * @param name - what the skill is called where it lies: the head must say the same.
 * @throws ToolError `skill_malformed`, telling what is wrong and quoting nothing.
 */
export function parseSkill(name: string, text: string): SkillDocument {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  if (lines[first]?.trim() !== '---') throw malformed('expected a head between two lines of ---')
  const end = lines.findIndex((line, index) => index > first && line.trim() === '---')
  if (end < 0) throw malformed('the head has no end; expected a line of ---')
  const head = readHead(lines.slice(first + 1, end))
  const { name: named = '', description = '' } = head
  if (named !== name) throw malformed('its name is not that of its folder')
  if (description === '') throw malformed('it has no description')
  return { name, description: description.slice(0, maxDescriptionCharacters).toWellFormed(), body: bodyOf(lines, end) }
}

interface SkillHead {
  readonly name?: string
  readonly description?: string
}

function readHead(lines: readonly string[]): SkillHead {
  const head: { name?: string; description?: string } = {}
  for (const line of lines) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const colon = line.indexOf(':')
    if (colon < 0) throw malformed('expected `key: value` on each line of the head')
    const key = line.slice(0, colon).trim()
    if (key !== 'name' && key !== 'description') continue
    if (head[key] !== undefined) throw malformed(`its head says ${key} twice`)
    head[key] = plainValue(line.slice(colon + 1).trim())
  }
  if (head.name !== undefined && !isSkillName(head.name)) throw malformed('its name is not a skill name')
  return head
}

/** Without the quotes that people put around a text with a colon, and without control characters. */
function plainValue(value: string): string {
  const quoted = /^"([^"]*)"$|^'([^']*)'$/.exec(value)
  return (quoted?.[1] ?? quoted?.[2] ?? value).replaceAll(/\p{Cc}/gu, ' ').trim()
}

function bodyOf(lines: readonly string[], end: number): string {
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim()
  if (body === '') throw malformed('it has no text after its head')
  return body.toWellFormed()
}

function malformed(reason: string) {
  return skillError('skill_malformed', `the skill cannot be read: ${reason}`)
}
