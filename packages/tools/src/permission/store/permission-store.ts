import type { Requirement, RuleCandidate, ToolRequest } from '../../contract/request.ts'
import type { Rule, RuleSource, RuleWriter } from '../../contract/rule.ts'
import type { Shell } from '../command/line-reading.ts'
import { type CommandFamilies, defaultFamilies } from '../command/propose-candidate.ts'
import { FileError } from '../errors.ts'
import { candidateRule } from '../rule/candidate-rule.ts'
import type { PermissionRule } from '../rule/permission-rule.ts'
import { checkRule } from '../rule/read-document.ts'
import { ruleId, toRule } from '../rule/rule-text.ts'
import { diagnose, type RuleDiagnostic } from './diagnose.ts'
import { judge } from './judge.ts'
import type { OnStep } from './replace-file.ts'
import { RuleFile } from './rule-file.ts'

/** How a store of rules works. */
export interface PermissionStoreOptions {
  /** The file, by an absolute path. Nothing looks for it: whoever composes the program says where it is. */
  readonly path: string
  /** A larger file is refused, and so is a change that would make it larger. Default: 1 MiB. */
  readonly maxFileBytes?: number
  /** The families that may be saved by an approval; others that allow are told by `diagnostics`. Default: read-only commands of git. */
  readonly families?: CommandFamilies
  /** What runs the commands that rules judge; see `CommandPolicy.shell`. */
  readonly shell?: Shell
  /** Where commands start, when all of them start there; see `CommandPolicy.directory`. Default: not known. */
  readonly directory?: string
}

/** A rule in the file. */
export interface ListedRule {
  /** Names the rule by what it says, so that it is the same in every file. */
  readonly id: string
  /** As an audit names it. */
  readonly text: Rule
  readonly rule: PermissionRule
}

/** What rules make of one requirement, and why. */
export interface RequirementExplanation {
  readonly requirement: Requirement
  readonly decision: 'allow' | 'ask' | 'deny'
  /** The rule that decided. */
  readonly rule?: ListedRule
  /** One line for people. */
  readonly why: string
}

/** What rules make of a request. */
export interface RequestExplanation {
  /** `deny` when one requirement is denied, else `ask` when one is not covered. Configured access comes before; it is not known here. */
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly requirements: readonly RequirementExplanation[]
}

/** Rules that can be looked at. All of it reads the file as it is now and rejects with `FileError` when that is not safe. */
export interface RuleReader extends RuleSource {
  /** All rules, in the order of the file. */
  list(): Promise<readonly ListedRule[]>
  /** Says of a request, or of one command line, what the rules make of it and which of them decide. */
  explain(request: ToolRequest): Promise<RequestExplanation>
  /** What is odd about the rules without making them invalid; it changes no decision. */
  diagnostics(): Promise<readonly RuleDiagnostic[]>
}

/**
 * Rules in a file that several processes share. Every query reads the file anew, so that what another process saved or
 * took away counts at once; while the file is unsafe or invalid every query rejects, and a gate refuses the call. Changes
 * are atomic and made under a lock, and keep all rules that are there.
 */
export interface PermissionStore extends RuleReader, RuleWriter {
  /** Adds rules of any kind, denials and wildcards too, for example from a command of the program. Those that are there stay once. */
  add(rules: readonly PermissionRule[]): Promise<void>
  /** Takes a rule away; says whether it was there. */
  remove(id: string): Promise<boolean>
}

/**
 * Opens a store. The file need not be there, and is made by the first change; when it is there it must be a regular file
 * of this user with the mode 0600 and one name.
 *
 * @throws FileError
 */
export async function permissionStore(options: PermissionStoreOptions): Promise<PermissionStore> {
  return openStore(options)
}

/** `permissionStore`, with a seam for tests of faults. */
export async function openStore(options: PermissionStoreOptions, onStep?: OnStep): Promise<PermissionStore> {
  const file = new RuleFile(options.path, options.maxFileBytes ?? defaultMaxBytes, onStep)
  await file.read()
  return {
    ...ruleReader(async () => (await file.read()) ?? [], options),
    async writeRules(candidates: readonly RuleCandidate[]): Promise<void> {
      if (candidates.length === 0) return
      const added = candidates.map(candidateRule)
      await file.change((rules) => union(rules, added))
    },
    async add(rules: readonly PermissionRule[]): Promise<void> {
      const added = rules.map(checkRule)
      await file.change((present) => union(present, added))
    },
    async remove(id: string): Promise<boolean> {
      let found = false
      await file.change((rules) => {
        const rest = rules.filter((rule) => ruleId(rule) !== id)
        found = rest.length < rules.length
        return found ? rest : undefined
      })
      return found
    },
  }
}

/**
 * Reads a file of rules once, for a run without people: later changes do not count, and nothing is written.
 *
 * @param options `path: ''` means no rules.
 * @throws FileError `missing` when a file is named that is not there, and all others of `permissionStore`.
 */
export async function readOnlyPermissionStore(options: PermissionStoreOptions): Promise<RuleReader & RuleWriter> {
  const rules = options.path === '' ? [] : await readOnce(options)
  return {
    ...ruleReader(async () => rules, options),
    writeRules: async () => {
      throw new FileError('read_only')
    },
  }
}

async function readOnce(options: PermissionStoreOptions): Promise<readonly PermissionRule[]> {
  const rules = await new RuleFile(options.path, options.maxFileBytes ?? defaultMaxBytes).read()
  if (rules === undefined) throw new FileError('missing')
  return rules
}

const defaultMaxBytes = 1_048_576

function ruleReader(read: () => Promise<readonly PermissionRule[]>, options: PermissionStoreOptions): RuleReader {
  const { directory, shell } = options
  const decide = async (requirement: Requirement) => judge(requirement, await read(), { directory, shell })
  const ruleOf = async (requirement: Requirement, effect: Rule['effect']): Promise<Rule | undefined> => {
    const { decision, rule } = await decide(requirement)
    return decision === effect && rule !== undefined ? toRule(rule) : undefined
  }
  return {
    denies: (requirement) => ruleOf(requirement, 'deny'),
    allows: (requirement) => ruleOf(requirement, 'allow'),
    list: async () => (await read()).map(listed),
    async explain(request: ToolRequest): Promise<RequestExplanation> {
      const rules = await read()
      const requirements = request.requirements.map((requirement) => {
        const { decision, rule, why } = judge(requirement, rules, { directory, shell })
        return { requirement, decision, why, ...(rule === undefined ? {} : { rule: listed(rule) }) }
      })
      const said = requirements.map(({ decision }) => decision)
      const decision = said.includes('deny') ? 'deny' : said.includes('ask') ? 'ask' : 'allow'
      return { decision, requirements }
    },
    diagnostics: async () => diagnose(await read(), options.families ?? defaultFamilies),
  }
}

function listed(rule: PermissionRule): ListedRule {
  return { id: ruleId(rule), text: toRule(rule), rule }
}

/** The rules with those added that are not there; nothing when all are there. */
function union(
  rules: readonly PermissionRule[],
  added: readonly PermissionRule[],
): readonly PermissionRule[] | undefined {
  const byId = new Map(rules.map((rule) => [ruleId(rule), rule]))
  const fresh = added.filter((rule) => {
    const id = ruleId(rule)
    if (byId.has(id)) return false
    byId.set(id, rule)
    return true
  })
  return fresh.length === 0 ? undefined : [...rules, ...fresh]
}
