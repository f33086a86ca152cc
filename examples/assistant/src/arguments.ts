import { parseArgs } from 'node:util'
import { ContentError, parseId, type SessionId } from '@looprig/core'
import { UsageError } from './usage.ts'

/** How the answer is printed. */
export type OutputFormat = 'text' | 'json' | 'stream-json'

/** Which session a run takes: a new one, the latest of its workspace, or one by id. */
export type SessionChoice =
  | { readonly kind: 'new' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'resume'; readonly id: SessionId }

/** What was said about the model, before the environment is asked. */
export interface ModelOptions {
  readonly model?: string | undefined
  readonly baseUrl?: string | undefined
  readonly script?: string | undefined
}

/** One question, or lines from stdin when there is none. */
export interface RunCommand extends ModelOptions {
  readonly kind: 'run'
  readonly question?: string | undefined
  readonly workspace?: string | undefined
  readonly dataDir?: string | undefined
  readonly session: SessionChoice
  readonly outputFormat: OutputFormat
  /** Nobody is there to be asked. */
  readonly print: boolean
}

/** The list of sessions. */
export interface SessionsCommand {
  readonly kind: 'sessions'
  readonly workspace?: string | undefined
  readonly dataDir?: string | undefined
  readonly outputFormat: OutputFormat
}

/** What the command line asks for. */
export type Command = RunCommand | SessionsCommand | { readonly kind: 'help' } | { readonly kind: 'version' }

/**
 * Reads the command line. Opens and touches nothing.
 *
 * @throws UsageError naming the flag at fault.
 */
export function parseArguments(argv: readonly string[]): Command {
  const { values, positionals } = readFlags(argv)
  if (values.help === true) return { kind: 'help' }
  if (values.version === true) return { kind: 'version' }
  for (const [flag, value] of Object.entries(values)) {
    if (value === '') throw new UsageError(`--${flag}: expected a value`)
  }
  return positionals[0] === 'sessions' ? sessionsCommand(values, positionals) : runCommand(values, positionals)
}

const options = {
  workspace: { type: 'string' },
  model: { type: 'string', short: 'm' },
  'base-url': { type: 'string' },
  script: { type: 'string' },
  continue: { type: 'boolean', short: 'c' },
  resume: { type: 'string' },
  'output-format': { type: 'string' },
  print: { type: 'boolean', short: 'p' },
  'data-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

type Flags = ReturnType<typeof readFlags>['values']

function readFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
  } catch (cause) {
    // the first sentence names the flag; the rest is advice for people who write programs
    const [first = ''] = cause instanceof Error ? cause.message.split('. ') : []
    throw new UsageError(first.replaceAll('\n', ' '), { cause })
  }
}

function sessionsCommand(values: Flags, positionals: readonly string[]): SessionsCommand {
  if (positionals.length > 1) throw new UsageError('sessions takes no further argument')
  for (const flag of ['model', 'base-url', 'script', 'continue', 'resume', 'print'] as const) {
    if (values[flag] !== undefined) throw new UsageError(`sessions does not take --${flag}`)
  }
  return {
    kind: 'sessions',
    workspace: values.workspace,
    dataDir: values['data-dir'],
    outputFormat: outputFormat(values['output-format']),
  }
}

function runCommand(values: Flags, positionals: readonly string[]): RunCommand {
  const [question, ...more] = positionals
  if (more.length > 0) throw new UsageError('expected one question; put it in quotes')
  if (question?.trim() === '') throw new UsageError('the question is empty')
  if (values.script !== undefined) {
    for (const flag of ['model', 'base-url'] as const) {
      if (values[flag] !== undefined) throw new UsageError(`--script and --${flag} exclude each other`)
    }
  }
  return {
    kind: 'run',
    question,
    workspace: values.workspace,
    dataDir: values['data-dir'],
    model: values.model,
    baseUrl: values['base-url'],
    script: values.script,
    session: sessionChoice(values),
    outputFormat: outputFormat(values['output-format']),
    print: values.print === true,
  }
}

function sessionChoice(values: Flags): SessionChoice {
  if (values.resume === undefined) return { kind: values.continue === true ? 'latest' : 'new' }
  if (values.continue === true) throw new UsageError('--resume and --continue exclude each other')
  try {
    return { kind: 'resume', id: parseId('SessionId', values.resume) }
  } catch (cause) {
    if (!(cause instanceof ContentError)) throw cause
    throw new UsageError('--resume: expected a session id; `npm start -- sessions` lists them', { cause })
  }
}

function outputFormat(value: string | undefined): OutputFormat {
  if (value === undefined || value === 'text' || value === 'json' || value === 'stream-json') return value ?? 'text'
  throw new UsageError('--output-format: expected text, json or stream-json')
}
