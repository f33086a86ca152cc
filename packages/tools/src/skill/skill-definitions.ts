import { z } from 'zod'
import { defineTool } from '../contract/define-tool.ts'
import type { ToolDefinition } from '../contract/definition.ts'
import { DefinitionBuildError } from '../contract/errors.ts'
import type { ReadGuard } from '../contract/read-guard.ts'
import { type Requirement, readRequirement } from '../contract/request.ts'
import { textResult } from '../contract/result.ts'
import { skillError } from './codes.ts'
import { type EmbeddedSkills, readEmbeddedSkills } from './embedded-skills.ts'
import { readWorkspaceSkill } from './read-workspace-skill.ts'
import type { SkillDocument, SkillSummary } from './skill-document.ts'
import { isSkillName } from './skill-name.ts'

/** The requirement kind of putting instructions before a model. */
export const contextLoad = 'context.load'

/** What the tool `Skill` needs where the workspace has skills of its own. */
export interface WorkspaceSkillDeps {
  readonly readGuard: ReadGuard
  /** Those of the application; one of theirs hides a workspace's of the same name. Default: none. */
  readonly embedded?: EmbeddedSkills | undefined
  /** Those of the workspace that the model is told of, as `discoverSkills` found them. Others load by name as well. */
  readonly listed?: readonly SkillSummary[] | undefined
}

const inputSchema = z.strictObject({
  name: z
    .string()
    .trim()
    .refine(isSkillName, 'expected at most 64 lower-case letters, digits, - and _, a letter or digit first')
    .describe('The name of the skill.'),
})

/** What a call puts before the model: all of it is known, and shown to the gate, before anyone decides. */
interface LoadedSkill {
  readonly document: SkillDocument
  readonly requirements: readonly Requirement[]
}

/**
 * The tool `Skill` over instructions that come with the application.
 *
 * @throws DefinitionBuildError `invalid_definition` naming the document that cannot be read.
 */
export function skillDefinition(embedded: EmbeddedSkills): ToolDefinition<readonly []> {
  const own = readEmbeddedSkills(embedded)
  return defineTool({
    name: 'Skill',
    description: describe([...own.values()]),
    inputSchema,
    replaySafe: true,
    prepare: ({ name }) => {
      const found = embeddedSkill(own, name)
      if (found === undefined) throw skillError('skill_not_found', `no skill is called ${name}`)
      return prepared(found)
    },
    run: ({ body }) => textResult(body),
    auditSummary: ({ name }) => `Skill ${name}`,
  })
}

/**
 * The tool `Skill` over the application's instructions and those of the workspace, in `.skills/<name>/SKILL.md`. Needs a
 * workspace. What was read when the call was prepared is what the model gets.
 *
 * @throws DefinitionBuildError `missing_dependency` without a read guard, else as `skillDefinition`.
 */
export function workspaceSkillDefinition(deps: WorkspaceSkillDeps): ToolDefinition<readonly ['workspace']> {
  const { readGuard, embedded = {}, listed = [] } = deps
  const own = readEmbeddedSkills(embedded)
  const others = listed.filter(({ name }) => !own.has(name))
  return defineTool({
    name: 'Skill',
    description: describe([...own.values(), ...others]),
    requires: ['workspace'],
    inputSchema,
    replaySafe: true,
    setup: () => {
      if (typeof readGuard?.deniedRead !== 'function') {
        throw new DefinitionBuildError('missing_dependency', 'Skill', 'read_guard')
      }
    },
    prepare: async ({ name }, { workspace }) =>
      prepared(embeddedSkill(own, name) ?? (await workspaceSkill(workspace.root, name, readGuard))),
    run: ({ body }) => textResult(body),
    auditSummary: ({ name }) => `Skill ${name}`,
  })
}

function embeddedSkill(own: ReadonlyMap<string, SkillDocument>, name: string): LoadedSkill | undefined {
  const document = own.get(name)
  return document && { document, requirements: [loadRequirement('embedded', name)] }
}

async function workspaceSkill(root: string, name: string, guard: ReadGuard): Promise<LoadedSkill> {
  const { path, ...document } = await readWorkspaceSkill(root, name, guard)
  // the file may say something else tomorrow, so neither is offered as a rule
  const { candidates: _, ...read } = readRequirement(path, `the skill ${name}`)
  return { document, requirements: [loadRequirement('workspace', name), read] }
}

function loadRequirement(from: 'embedded' | 'workspace', name: string): Requirement {
  const match = `${from}:${name}`
  return { kind: contextLoad, scope: match, match, description: `load the skill ${name} of the ${sourceNames[from]}` }
}

const sourceNames = { embedded: 'application', workspace: 'workspace' } as const

function prepared({ document, requirements }: LoadedSkill) {
  const { name, body } = document
  return { summary: `load the skill ${name}`, artifact: { name, body }, requirements }
}

function describe(skills: readonly SkillSummary[]): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${description}`)
  return ['Load instructions for a kind of work before you begin with it.', ...lines].join('\n')
}
