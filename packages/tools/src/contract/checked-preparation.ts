import type { JsonValue } from '@looprig/core'
import type { ToolRequest } from './request.ts'
import type { PreparedRequest } from './tool.ts'

/**
 * What a defined tool prepared: checked, copied, and frozen all the way down. Only this package makes one, and nothing
 * else has its private field, so nobody has to check it again.
 */
export class CheckedPreparation implements PreparedRequest {
  readonly request: ToolRequest
  readonly artifact: JsonValue
  readonly question: PreparedRequest['question']
  readonly preview: PreparedRequest['preview']
  readonly #isChecked = true

  constructor({ request, artifact, question, preview }: PreparedRequest) {
    this.request = request
    this.artifact = artifact
    this.question = question
    this.preview = preview
    Object.freeze(this)
  }

  static made(value: object): boolean {
    return #isChecked in value && value.#isChecked
  }
}

/**
 * Says whether `prepareCall` of a defined tool made this: what is in it is valid plain JSON data that nothing can
 * change. What any other tool returns must be copied and checked.
 */
export function isCheckedPreparation(prepared: PreparedRequest): boolean {
  return CheckedPreparation.made(prepared)
}
