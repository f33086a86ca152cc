import { LooprigError } from '@looprig/core'

/** The tool names that a definition declares, and those that it built. */
export interface ProducedNames {
  readonly declared: readonly string[]
  readonly actual: readonly string[]
}

/** A definition that could not be built into tools; nothing of it exists then. */
export class DefinitionBuildError extends LooprigError {
  override readonly name = 'DefinitionBuildError'
  /**
   * `missing_dependency`: something it needs was not given; `invalid_binding`: what was given cannot be used;
   * `setup_failed`: its setup threw; `invalid_definition`: it cannot be built or shown to a model; `invalid_tool`: it
   * built something that is no tool; `produced_names_mismatch`: it built other tools than it declares.
   */
  readonly code:
    | 'missing_dependency'
    | 'invalid_binding'
    | 'setup_failed'
    | 'invalid_definition'
    | 'invalid_tool'
    | 'produced_names_mismatch'
  /** The definition's name. */
  readonly definition: string
  /** What was missing or wrong, for example `workspace`, `read_guard` or `tools[1].info`. */
  readonly dependency: string
  /** Set with `produced_names_mismatch`, in the order of the definition. */
  readonly produced?: ProducedNames

  constructor(
    code: DefinitionBuildError['code'],
    definition: string,
    dependency: string,
    options: ErrorOptions & Partial<ProducedNames> = {},
  ) {
    const { declared, actual, ...rest } = options
    const names = declared && actual && `: declared ${list(declared)}, built ${list(actual)}`
    super(`${definition}: ${buildMessages[code]} (${dependency})${names ?? ''}`, rest)
    this.code = code
    this.definition = definition
    this.dependency = dependency
    if (declared && actual) this.produced = Object.freeze({ declared, actual })
  }
}

const buildMessages: Record<DefinitionBuildError['code'], string> = {
  missing_dependency: 'a dependency is missing',
  invalid_binding: 'what it is bound to is not valid',
  setup_failed: 'its setup failed',
  invalid_definition: 'the definition is not valid',
  invalid_tool: 'it built something that is no tool',
  produced_names_mismatch: 'it built other tools than it declares',
}

/** The most names that one message lists. */
const maxNames = 16

function list(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).join(', ')
  return names.length > maxNames ? `[${shown}, ...]` : `[${shown}]`
}

/** A request that breaks the contract; it is never shown to a gate, and its call does not run. */
export class RequestValidationError extends LooprigError {
  override readonly name = 'RequestValidationError'
  readonly code:
    | 'field_invalid'
    | 'requirement_duplicate'
    | 'candidate_duplicate'
    | 'grant_pair_invalid'
    | 'command_grant_invalid'
    | 'grant_binding_missing'
  /** The path of the field at fault, for example `requirements[0].match`. */
  readonly field: string

  constructor(code: RequestValidationError['code'], field: string) {
    super(`${field}: ${code}`)
    this.code = code
    this.field = field
  }
}

/** A part of an artifact that is not plain JSON data, so that it cannot be frozen. */
export class ArtifactError extends LooprigError {
  override readonly name = 'ArtifactError'
  readonly code = 'artifact_not_json'
  /** Where in the artifact, for example `artifact.edits[2]`. */
  readonly path: string

  constructor(path: string, found: string) {
    super(`${path}: ${found} is not JSON data`)
    this.path = path
  }
}

/**
 * What a tool throws to tell the model something: its message becomes the text of an error result. Any other error
 * becomes `tool_failed` without detail. So the message must hold nothing that the model may not read.
 */
export class ToolError extends LooprigError {
  override readonly name = 'ToolError'
  /** snake_case, of the set that the tool documents. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
