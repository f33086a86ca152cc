/** A reusable rule that a person could save instead of one approval: exactly what is shown and what is stored. */
export interface RuleCandidate {
  readonly kind: string
  readonly match: string
  readonly description: string
  readonly grantClass?: string
  readonly grantTarget?: string
}

/** One thing that a call needs access to. */
export interface Requirement {
  /** What kind of access, for example `filesystem.read`; one access source answers for each kind. */
  readonly kind: string
  /** What the access source judges, for example a canonical path. Empty where a kind has no scope. */
  readonly scope: string
  /** What durable rules compare, for example a path or `tree:<path>`. */
  readonly match: string
  /** For people: bounded, one line. */
  readonly description: string
  /** Set together with `grantTarget` when a runner needs a token; both absent when the tool enforces by itself. */
  readonly grantClass?: string
  readonly grantTarget?: string
  readonly candidates?: readonly RuleCandidate[]
}

/** What a prepared call asks the gate for. Without requirements it asks for nothing and is approved as it is. */
export interface ToolRequest {
  readonly toolName: string
  /** One line for people: what will happen. */
  readonly summary: string
  readonly requirements: readonly Requirement[]
  /** The exact command, with a `command.execute` requirement. */
  readonly command?: string
  readonly workingDirectory?: string
  /** Until when a grant may be used, in milliseconds since 1970. */
  readonly expiresAtMs?: number
}

/** The requirement kind of running a command. */
export const commandExecute = 'command.execute'

/** The grant class of starting exactly one command. */
export const commandStartGrant = 'command.start.v1'

/** Asks to read one file. `path` is canonical; `display` is what people see, by default the path. */
export function readRequirement(path: string, display: string = path): Requirement {
  return pathRequirement('filesystem.read', path, path, `read ${display}`)
}

/** Asks to read all files below a folder. */
export function readTreeRequirement(root: string, display: string = root): Requirement {
  return pathRequirement('filesystem.read', root, `tree:${root}`, `read files under ${display}`)
}

/** Asks to write one file. */
export function writeRequirement(path: string, display: string = path): Requirement {
  return pathRequirement('filesystem.write', path, path, `write ${display}`)
}

function pathRequirement(kind: string, scope: string, match: string, description: string): Requirement {
  return { kind, scope, match, description, candidates: [{ kind, match, description }] }
}
