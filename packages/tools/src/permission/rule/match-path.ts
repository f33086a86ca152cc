import type { FileAccess, RuleMatch } from './permission-rule.ts'

/** Says whether a rule covers what is done to a file, by its canonical path. */
export function coversPath(match: RuleMatch, access: FileAccess, path: string): boolean {
  if (match.kind === 'path') return match.access === access && match.path === path
  return match.kind === 'tree' && match.access === access && isWithin(path, match.root)
}

/** Says whether a canonical path is a folder or below it. */
export function isWithin(path: string, root: string): boolean {
  return path === root || root === '/' || path.startsWith(`${root}/`)
}
