import { canonicalJson } from '@looprig/core'
import type { Answer } from './compose.ts'
import type { SeenCall, Turn } from './history.ts'
import { inlineCode } from './source-line.ts'
import type { ToolCall } from './tool-call.ts'
import { type FoundLines, type FoundPaths, type ReadLines, readFileText, readGlob, readGrep } from './tool-output.ts'

/** What became of the calls that a plan asked for, in order. A call without a result reads as one that found nothing. */
export class Findings {
  readonly #calls: readonly ToolCall[]
  readonly #texts: readonly (string | undefined)[]

  constructor(calls: readonly ToolCall[], texts: readonly (string | undefined)[]) {
    this.#calls = calls
    this.#texts = texts
  }

  /** The paths that the Glob call at `index` found. */
  paths(index: number): FoundPaths {
    return readGlob(this.#text(index))
  }

  /** The lines that the Grep call at `index` found. */
  found(index: number): FoundLines {
    return readGrep(this.#text(index))
  }

  /** The lines that the ReadFile call at `index` showed. */
  read(index: number): ReadLines {
    return readFileText(String(this.#calls[index]?.input.path), this.#text(index))
  }

  #text(index: number): string {
    return this.#texts[index] ?? ''
  }
}

/**
 * How a kind of question is answered: it yields the calls of its next step, gets what they found, and returns the
 * answer. It must depend on nothing else, because every response runs it again from its start.
 */
export type Plan<R = Answer> = Generator<readonly ToolCall[], R, Findings>

/** What bounds the work on one question. */
export interface PlanLimits {
  /** Responses, the answer included. */
  readonly maxSteps: number
  readonly maxCalls: number
}

/** What the guide does next. */
export type Move =
  | { readonly type: 'calls'; readonly calls: readonly ToolCall[] }
  | { readonly type: 'answer'; readonly answer: Answer; readonly notes: readonly string[] }

/** Runs a plan over what the turn has seen so far: up to the first call without a result, or to its answer. */
export function advance(plan: Plan, turn: Turn, tools: ReadonlySet<string>, limits: PlanLimits): Move {
  const seen = new Map(turn.steps.flat().map((call) => [callKey(call), call]))
  const made = turn.steps.flat().length
  const left = turn.steps.length + 1 < limits.maxSteps ? limits.maxCalls - made : 0
  const notes = new Set<string>()
  let state = plan.next()
  while (state.done !== true) {
    const calls = state.value
    const open = unique(calls.filter((call) => tools.has(call.name) && !seen.has(callKey(call))))
    if (open.length > 0 && left > 0) return { type: 'calls', calls: open.slice(0, left) }
    if (open.length > 0) notes.add('I stopped at my limit of searches for one question; there may be more.')
    for (const call of calls) noteFailure(notes, call, tools, seen.get(callKey(call)))
    state = plan.next(
      new Findings(
        calls,
        calls.map((call) => textOfResult(seen.get(callKey(call)))),
      ),
    )
  }
  return { type: 'answer', answer: state.value, notes: [...notes] }
}

function callKey({ name, input }: Pick<SeenCall, 'name' | 'input'>): string {
  return `${name} ${canonicalJson(input)}`
}

function unique(calls: readonly ToolCall[]): readonly ToolCall[] {
  return [...new Map(calls.map((call) => [callKey(call), call])).values()]
}

function textOfResult(call: SeenCall | undefined): string | undefined {
  return call?.result?.isError === false ? call.result.text : undefined
}

const abilities: Record<ToolCall['name'], string> = {
  Glob: 'list files',
  Grep: 'search file contents',
  ReadFile: 'read files',
}

function noteFailure(notes: Set<string>, call: ToolCall, tools: ReadonlySet<string>, seen: SeenCall | undefined): void {
  if (!tools.has(call.name)) notes.add(`There is no ${call.name} tool here, so I cannot ${abilities[call.name]}.`)
  if (seen === undefined || call.isGuess === true) return
  if (seen.result === undefined) notes.add(`${call.name} gave no result.`)
  else if (seen.result.isError) notes.add(`${call.name} failed: ${inlineCode(seen.result.text, 250)}`)
}
