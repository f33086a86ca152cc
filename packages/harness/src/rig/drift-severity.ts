import type { DriftCategory, DriftSeverity } from './drift-change.ts'

/** How much it matters that something came, went, or has another value. */
interface Severities {
  readonly added: DriftSeverity
  readonly removed: DriftSeverity
  readonly changed: DriftSeverity | ((recorded: string, present: string) => DriftSeverity)
}

const info = { added: 'info', removed: 'info', changed: 'info' } as const
const warn = { added: 'warn', removed: 'warn', changed: 'warn' } as const

/**
 * The one place that says how much each change matters. `info`: what the session may do stays the same or becomes less,
 * or the model is told otherwise. `warn`: it may do more unasked, elsewhere, or what its history speaks of is gone.
 */
const severities: { readonly [C in DriftCategory]: Severities } = {
  app: info,
  context: info,
  display: info,
  limits: info,
  model: info,
  system: info,
  // a mode that is in force is more than this; see `severityOf`
  modes: info,
  // only a session of an older version does not say what its gate was: it is recorded from now on
  gate: { added: 'info', removed: 'warn', changed: (was, is) => (isLoosened(was, is) ? 'warn' : 'info') },
  confinement: { added: 'info', removed: 'warn', changed: 'warn' },
  loops: { added: 'info', removed: 'warn', changed: 'warn' },
  tools: { added: 'info', removed: 'warn', changed: 'warn' },
  // nobody can tell one function from another, only that there is one less
  middlewares: { added: 'info', removed: 'warn', changed: (was, is) => (Number(is) < Number(was) ? 'warn' : 'info') },
  delegates: warn,
  hooks: warn,
  output: warn,
  workspace: warn,
}

/** Judges one change; `undefined` stands for what is not there. */
export function severityOf(
  category: DriftCategory,
  recorded: string | undefined,
  present: string | undefined,
): DriftSeverity {
  const { added, removed, changed } = severities[category]
  if (recorded === undefined) return added
  if (present === undefined) return removed
  return typeof changed === 'string' ? changed : changed(recorded, present)
}

/**
 * How much a gate lets run that nobody is asked about. Interactive and headless gates let run what configuration allows;
 * what is left is asked or denied, so neither is looser. What a gate of the application does nobody knows.
 */
const unasked: Readonly<Record<string, number>> = { none: 0, headless: 1, interactive: 1 }

function isLoosened(recorded: string, present: string): boolean {
  const [was, is] = [unasked[recorded], unasked[present]]
  return was === undefined || is === undefined || is > was
}
