/** `pnpm explain`: what rules make of command lines, one JSON object a line. */
import { parseArgs } from 'node:util'
import { UsageError } from '../wire/usage-error.mjs'
import { readLines } from './read-lines.mjs'
import { readRules } from './read-rules.mjs'
import { readShell } from './read-shell.mjs'

/** @typedef {typeof import('../../packages/tools/src/permission.ts')} Door */

export const usage = `Usage: pnpm --silent explain -- --rules RULES.json [OPTIONS] (--lines LINES.jsonl | COMMAND)

Prints what the rules make of each command line, one JSON object a line: {line, decision, rule?, why}. Nothing is run.

  --rules FILE      a permission file (version 2), or an object {"allow": [...], "deny": [...], "write": [...]} whose
                    rules are {"tokens": [...]}, {"exact": "..."} or {"wildcard": true}
  --set NAME        the entry of FILE to take, when FILE has several
  --lines FILE      JSON objects, one a line, with "line" and perhaps "id" and "shell"
  --shell NAME      what runs the commands: sh (any POSIX shell, default) or bash
  --directory DIR   where the commands start (default: the present folder)

COMMAND is one argument: quote it. Write -- before it when it starts with a dash.
`

/**
 * Runs the command.
 *
 * @param {readonly string[]} args
 * @param {{door: Door, folder: string, write: (line: string) => void}} context
 * @throws {UsageError}
 */
export async function explain(args, { door, folder, write }) {
  const { values, positionals } = readArguments(args)
  const { rules: rulesFile, lines: linesFile, directory = folder } = values
  if (rulesFile === undefined) throw new UsageError('--rules is missing')
  const shell = readShell(values.shell, '--shell')
  if (!directory.startsWith('/')) throw new UsageError('--directory must be an absolute path')
  const rules = await readRules(rulesFile, { folder, directory, set: values.set, door })
  const lines = await commandLines(linesFile, positionals, folder)
  for (const { id, line, shell: ownShell } of lines) {
    const { decision, rule, why } = door.decideCommand(line, { rules, directory, shell: ownShell ?? shell })
    const told = rule === undefined ? {} : { rule: door.toRule(rule) }
    write(JSON.stringify({ ...(id === undefined ? {} : { id }), line, decision, ...told, why }))
  }
}

/** @param {readonly string[]} args pnpm passes a leading `--` on, npm does not. */
function readArguments(args) {
  try {
    const rest = args[0] === '--' ? args.slice(1) : args
    return parseArgs({
      args: [...rest],
      options: {
        rules: { type: 'string' },
        set: { type: 'string' },
        lines: { type: 'string' },
        shell: { type: 'string' },
        directory: { type: 'string' },
      },
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * @param {string | undefined} linesFile
 * @param {readonly string[]} positionals
 * @param {string} folder
 */
async function commandLines(linesFile, positionals, folder) {
  if (linesFile !== undefined) {
    if (positionals.length > 0) throw new UsageError('give --lines or a COMMAND, not both')
    return readLines(linesFile, folder)
  }
  const [line] = positionals
  if (line === undefined) throw new UsageError('give --lines or a COMMAND')
  if (positionals.length > 1) throw new UsageError('give the COMMAND as one argument: quote it')
  return [{ line }]
}
