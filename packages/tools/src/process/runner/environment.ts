import { DefinitionBuildError } from '../../contract/errors.ts'

/** What a command may know of the process that it is started by. None holds a secret, or runs a program when it is read. */
const allowedNames = ['PATH', 'HOME', 'TERM', 'LANG', 'USER', 'LOGNAME', 'SHELL', 'TZ', 'TMPDIR']
const allowedPrefix = 'LC_'

/** What else a command may know. */
export interface EnvironmentOptions {
  /** Names that are allowed too, each exactly. */
  readonly allow?: readonly string[] | undefined
}

/**
 * Takes from an environment what a command may have: PATH, HOME, TERM, LANG, LC_*, USER, LOGNAME, SHELL, TZ, TMPDIR, and
 * what is allowed by name. All else, and so every key of an API, stays out.
 *
 * @param source - for example the environment of the process; only the composition root may read that.
 */
export function commandEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  { allow = [] }: EnvironmentOptions = {},
): Readonly<Record<string, string>> {
  const allowed = new Set([...allowedNames, ...allow])
  const environment: [string, string][] = []
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && (allowed.has(name) || name.startsWith(allowedPrefix))) environment.push([name, value])
  }
  return Object.freeze(Object.fromEntries(environment))
}

/** @throws DefinitionBuildError `invalid_definition` naming the variable that no system takes; never its value. */
export function checkedEnvironment(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const copy = Object.freeze(Object.fromEntries(Object.entries(environment)))
  for (const [name, value] of Object.entries(copy)) {
    const isValid = /^[^=\0]+$/.test(name) && typeof value === 'string' && !value.includes('\0')
    if (!isValid) throw new DefinitionBuildError('invalid_definition', 'directRunner', `environment.${printed(name)}`)
  }
  return copy
}

function printed(name: string): string {
  return /^[A-Za-z0-9_]{1,64}$/.test(name) ? name : '?'
}
