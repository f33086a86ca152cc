import { assertNever } from '@looprig/core'
import type { Turn } from './history.ts'
import type { Plan } from './plan.ts'
import { factPlan } from './plans/fact.ts'
import { filePlan } from './plans/file.ts'
import { filesPlan } from './plans/files.ts'
import { greetingPlan } from './plans/greeting.ts'
import { importsPlan } from './plans/imports.ts'
import { namePlan } from './plans/name.ts'
import { overviewPlan } from './plans/overview.ts'
import { recallPlan } from './plans/recall.ts'
import { termsPlan } from './plans/terms.ts'
import type { Question } from './question.ts'

/** Picks the plan for a question. `earlier` are the turns before the present one. */
export function planFor(question: Question, earlier: readonly Turn[]): Plan {
  switch (question.kind) {
    case 'greeting':
      return greetingPlan()
    case 'recall':
      return recallPlan(question.of, earlier)
    case 'overview':
      return overviewPlan()
    case 'fact':
      return factPlan(question.fact)
    case 'files':
      return filesPlan(question.filter)
    case 'file':
      return filePlan(question)
    case 'name':
      return question.about === 'import' ? importsPlan(question) : namePlan(question, question.about)
    case 'terms':
      return termsPlan(question.terms, question.phrase)
    default:
      return assertNever(question, 'question')
  }
}
