import { isIP } from 'node:net'
import { posix } from 'node:path'
import { z } from 'zod'
import { FileError, RuleError } from '../errors.ts'
import type { FileAccess, PermissionRule, RuleMatch } from './permission-rule.ts'
import { classesOf, toFileRule } from './rule-class.ts'

const documentSchema = z.strictObject({
  version: z.number(),
  normalization_version: z.number(),
  rules: z.array(z.unknown()).max(100_000),
})

const ruleSchema = z.strictObject({
  effect: z.enum(['allow', 'deny']),
  capability: z.string(),
  enforcement_class: z.string(),
  match: z.record(z.string(), z.unknown()),
})

/** A text in one line, without white space around it. */
const lineSchema = z
  .string()
  .min(1)
  .max(65_536)
  .refine((text) => text.isWellFormed() && text.trim() === text && !controls.test(text))
const controls = /[\u0000-\u001f\u007f]/

const tokenSchema = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^\s\u0000-\u001f\u007f-\u009f*?[\]{}()<>|&;$`\\"'~#!]+$/)

const hostSchema = z
  .string()
  .min(1)
  .max(253)
  .refine((host) => isIP(host) !== 0 || /^[^\s/@:A-Z\u{0}-\u{1f}\u{7f}]+$/u.test(host))

const pathSchema = lineSchema.refine(isCleanPath)

const commandFields = z.strictObject({ command: lineSchema })
const pathFields = z.strictObject({ path: pathSchema })
const treeFields = z.strictObject({ root: pathSchema })

/** What the match of each class may hold, and what it means. */
const classes: Readonly<Record<string, (match: unknown) => z.ZodSafeParseResult<RuleMatch>>> = {
  'command.invoke.v1': reader(commandFields, ({ command }) => ({ kind: 'exact', command })),
  'command.invoke.wildcard.v1': reader(z.strictObject({}), () => ({ kind: 'wildcard' })),
  'command.invoke.shell-segment-glob.v1': reader(
    z.strictObject({ tokens: z.array(tokenSchema).min(1).max(32), trailing_arguments: z.literal(true) }),
    ({ tokens }) => ({ kind: 'family', tokens }),
  ),
  'network.target.v1': reader(
    z.strictObject({
      host: hostSchema,
      transport: z.enum(['tcp', 'udp']).optional(),
      port: z.int().min(0).max(65_535).optional(),
    }),
    ({ host, transport, port }) => ({
      kind: 'network',
      host,
      ...(transport === undefined ? {} : { transport }),
      // 0 is how other programs write "any".
      ...(port === undefined || port === 0 ? {} : { port }),
    }),
  ),
  'network.broad.v1': reader(
    z.strictObject({ command: lineSchema, target: lineSchema.regex(/^\S+$/) }),
    ({ command, target }) => ({ kind: 'network_broad', command, target }),
  ),
  ...fileClasses('read'),
  ...fileClasses('write'),
}

function fileClasses(access: FileAccess) {
  return {
    [`filesystem.path.${access}.v1`]: reader(pathFields, ({ path }) => ({ kind: 'path', access, path })),
    [`filesystem.tree.${access}.v1`]: reader(treeFields, ({ root }) => ({ kind: 'tree', access, root })),
    [`filesystem.host.${access}.v1`]: reader(commandFields, ({ command }) => ({ kind: 'host', access, command })),
  }
}

function reader<T>(schema: z.ZodType<T>, read: (fields: T) => RuleMatch) {
  return (match: unknown) => schema.transform(read).safeParse(match)
}

/**
 * Reads a document of rules, version 2. One invalid rule refuses all of it, since a rule that is left out may be a denial.
 *
 * @throws FileError `malformed`, `version_unsupported` or `rule_invalid`.
 */
export function readDocument(text: string): readonly PermissionRule[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    // The parser's own message quotes the file.
    throw new FileError('malformed')
  }
  const version = (json as { version?: unknown } | null)?.version // proved: any JSON value may be read so
  if (typeof version === 'number' && version !== 2) throw new FileError('version_unsupported')
  const parsed = documentSchema.safeParse(json)
  if (!parsed.success) throw new FileError('malformed')
  if (parsed.data.normalization_version !== 1) throw new FileError('version_unsupported')
  if (hasDuplicateKeys(text)) throw new FileError('malformed')
  try {
    return parsed.data.rules.map(readRule)
  } catch (error) {
    throw error instanceof RuleError ? new FileError('rule_invalid', { cause: error }) : error
  }
}

/** @throws RuleError */
function readRule(json: unknown, index: number): PermissionRule {
  const parsed = ruleSchema.safeParse(json)
  if (!parsed.success) throw ruleError(parsed.error, index, '')
  const { effect, capability, enforcement_class: name, match } = parsed.data
  const read = Object.hasOwn(classes, name) ? classes[name] : undefined
  if (read === undefined || !Object.hasOwn(classesOf, capability)) {
    throw new RuleError('field_invalid', index, read === undefined ? 'enforcement_class' : 'capability')
  }
  if (!classesOf[capability]?.includes(name)) throw new RuleError('class_foreign', index, 'enforcement_class')
  const fields = read(match)
  if (!fields.success) throw ruleError(fields.error, index, 'match.')
  return { effect, match: fields.data }
}

/**
 * Checks a rule that a program made, as if it stood in a file.
 *
 * @throws RuleError
 */
export function checkRule(rule: PermissionRule, index: number): PermissionRule {
  return readRule(toFileRule(rule), index)
}

/** Writes a document of rules. */
export function writeDocument(rules: readonly PermissionRule[]): string {
  const document = { version: 2, normalization_version: 1, rules: rules.map(toFileRule) }
  return `${JSON.stringify(document, null, 2)}\n`
}

function ruleError(error: z.ZodError, index: number, prefix: string): RuleError {
  const [issue] = error.issues
  const path = issue?.path.map(String).join('.') ?? ''
  if (issue?.code === 'unrecognized_keys') return new RuleError('field_foreign', index, prefix + (path || 'rule'))
  const missing = issue?.code === 'invalid_type' && /received undefined/.test(issue.message)
  return new RuleError(missing ? 'field_missing' : 'field_invalid', index, (prefix + path).replace(/\.$/, '') || 'rule')
}

/** An absolute path that is its own normal form. */
export function isCleanPath(path: string): boolean {
  return posix.isAbsolute(path) && posix.normalize(path) === path && (path === '/' || !path.endsWith('/'))
}

/** Says whether an object in a text of JSON has one key twice; of two effects the reader would see only the last. */
function hasDuplicateKeys(text: string): boolean {
  const seen: Set<string>[] = []
  const strings = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/g
  for (const { 0: token, index } of text.matchAll(strings)) {
    if (token === '{') seen.push(new Set())
    else if (token === '}') seen.pop()
    else if (/^\s*:/.test(text.slice(index + token.length, index + token.length + 64))) {
      const key: unknown = JSON.parse(token)
      const keys = seen.at(-1)
      if (typeof key !== 'string' || keys === undefined) continue
      if (keys.has(key)) return true
      keys.add(key)
    }
  }
  return false
}
