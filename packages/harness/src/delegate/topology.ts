import { DefinitionError } from '../error/errors.ts'
import type { LoopDefinition } from '../loop/define-loop.ts'
import type { AgentRole } from './agent-menu.ts'
import { defineAgentTools } from './agent-tool.ts'

/** The loops of a rig, and which of them each session starts. */
export interface Topology {
  /** All of them; those with delegates have their agent tools. */
  readonly loops: readonly [LoopDefinition, ...LoopDefinition[]]
  /** The loops that start with a session; the first takes the inputs. */
  readonly primers: readonly [LoopDefinition, ...LoopDefinition[]]
}

/**
 * Checks how the loops of a rig start each other, and gives them the tools for it. A loop may start itself or one that
 * starts it: the depth of a session bounds that.
 *
 * @throws DefinitionError naming the option at fault.
 */
export function checkTopology(
  loops: readonly [LoopDefinition, ...LoopDefinition[]],
  primers: readonly string[] | undefined,
): Topology {
  const byName = new Map(loops.map((loop) => [loop.name, loop]))
  for (const [index, loop] of loops.entries()) {
    const unknown = loop.delegates.findIndex((name) => !byName.has(name))
    if (unknown >= 0) {
      throw new DefinitionError(`loops[${index}].delegates[${unknown}]`, `no loop named ${loop.delegates[unknown]}`)
    }
  }
  const roots = primers === undefined ? undelegated(loops) : namedPrimers(primers, byName)
  const reached = reachable(roots, byName)
  for (const [index, { name }] of loops.entries()) {
    if (!reached.has(name)) throw new DefinitionError(`loops[${index}]`, `neither a primer nor started by one: ${name}`)
  }
  const equip = (loop: LoopDefinition) => withAgentTools(loop, byName)
  const equipped = new Map(loops.map((loop) => [loop.name, equip(loop)]))
  const take = (loop: LoopDefinition) => equipped.get(loop.name) ?? loop
  return { loops: mapAll(loops, take), primers: mapAll(roots, take) }
}

type Loops = Topology['loops']

function mapAll([first, ...more]: Loops, take: (loop: LoopDefinition) => LoopDefinition): Loops {
  return Object.freeze([take(first), ...more.map(take)] as const)
}

/** Without a choice: every loop that no other one starts. */
function undelegated(loops: Loops): Loops {
  const started = new Set(loops.flatMap(({ name, delegates }) => delegates.filter((other) => other !== name)))
  const [first, ...more] = loops.filter(({ name }) => !started.has(name))
  if (first === undefined) throw new DefinitionError('primers', 'name one: every loop is the delegate of another')
  return [first, ...more]
}

function namedPrimers(primers: readonly string[], byName: ReadonlyMap<string, LoopDefinition>): Loops {
  const names: readonly unknown[] = Array.isArray(primers) ? primers : []
  const found = new Map<string, LoopDefinition>()
  for (const [index, name] of names.entries()) {
    const loop = typeof name === 'string' ? byName.get(name) : undefined
    if (loop === undefined) throw new DefinitionError(`primers[${index}]`, 'expected the name of a loop of the rig')
    if (found.has(loop.name)) throw new DefinitionError(`primers[${index}]`, `${loop.name} is there twice`)
    found.set(loop.name, loop)
  }
  const [first, ...more] = found.values()
  if (first === undefined) throw new DefinitionError('primers', 'expected at least one name')
  return [first, ...more]
}

function reachable(roots: Loops, byName: ReadonlyMap<string, LoopDefinition>): ReadonlySet<string> {
  const reached = new Set(roots.map(({ name }) => name))
  // a set gives what is added while it is read
  for (const name of reached) for (const next of byName.get(name)?.delegates ?? []) reached.add(next)
  return reached
}

/** The loop with its agent tools, in every mode. */
function withAgentTools(loop: LoopDefinition, byName: ReadonlyMap<string, LoopDefinition>): LoopDefinition {
  if (loop.delegates.length === 0) return loop
  const roles = loop.delegates.flatMap((name) => {
    const delegate = byName.get(name)
    return delegate === undefined ? [] : [roleOf(delegate)]
  })
  const bundle = defineAgentTools({ style: loop.delegation, roles })
  const tools = Object.freeze([...loop.tools, bundle])
  const modes = loop.modes.map((mode) =>
    Object.freeze({ ...mode, tools: mode.tools === loop.tools ? tools : Object.freeze([...mode.tools, bundle]) }),
  )
  return Object.freeze({ ...loop, tools, modes: Object.freeze(modes) })
}

function roleOf({ name, description, modes }: LoopDefinition): AgentRole {
  // one mode beside the base is no choice worth a field
  return { name, description, modes: modes.length < 2 ? [] : modes.map((mode) => mode.name) }
}
