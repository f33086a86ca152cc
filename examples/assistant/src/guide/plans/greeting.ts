import type { Plan } from '../plan.ts'

/** Says what the guide can do. */
// biome-ignore lint/correctness/useYield: a plan that needs no call
export function* greetingPlan(): Plan {
  return {
    opening:
      'I am the offline guide: not a language model, but rules that search this folder and quote the lines they find.\n' +
      'Ask what this project does, where a name is defined or used, to list or find files, or to show or explain a file.',
  }
}
