/** Sessions of the whole catalogue over one folder and one store, as tests open, leave and restore them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SessionId } from '@looprig/core'
import type { ScriptedToolCall } from '@looprig/inference/testing'
import type { Store } from '@looprig/store'
import { onTestFinished } from 'vitest'
import type { GateAction, OpenPermission, Session } from '../../src/index.ts'
import { recordSession, type SessionRecording } from '../../src/testing.ts'
import { permissions } from '../gate/open-gates.ts'
import { tempFolder } from '../journal/stores.ts'
import { calling } from '../session/open-session.ts'
import { type CatalogueSetup, catalogueRig, placesIn } from './catalogue-rig.ts'

type Setup = Omit<CatalogueSetup, 'store' | 'folder'>

export class CatalogueWorld {
  readonly folder: string
  readonly store: Store
  readonly places: ReturnType<typeof placesIn>

  constructor(store: Store, folder: string = tempFolder()) {
    this.store = store
    this.folder = folder
    this.places = placesIn(folder)
    mkdirSync(this.places.workspace, { recursive: true })
  }

  path(name: string): string {
    return join(this.places.workspace, name)
  }

  put(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), text)
  }

  /** Undefined: it is not there. */
  text(name: string): string | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : undefined
  }

  /** What the file of rules holds. */
  savedRules(): string {
    return existsSync(this.places.rules) ? readFileSync(this.places.rules, 'utf8') : ''
  }

  /** A new session. It is shut down after the test. */
  async open(setup: Setup) {
    return this.#follow(setup)
  }

  /** The session in one more process: with parts of its own, over the same folder and store. */
  async restore(id: SessionId, setup: Setup = {}) {
    return this.#follow(setup, id)
  }

  async #follow(setup: Setup, id?: SessionId) {
    const made = await catalogueRig({ ...setup, store: this.store, folder: this.folder })
    const session = await (id === undefined ? made.rig.newSession() : made.rig.restoreSession(id))
    onTestFinished(() => session.shutdown())
    return { ...made, session, recording: recordSession(session, { since: 0 }) }
  }
}

/** A response of one call, or of several in one step. */
export function calls(...named: readonly (readonly [name: string, input: ScriptedToolCall['input']])[]) {
  return calling(...named.map(([name, input], index) => ({ id: `${name}-${index}`, name, input })))
}

/** The one gate that is open. */
export async function onlyGate(session: Session): Promise<OpenPermission> {
  await session.waitIdle({ orWaiting: true })
  const [gate, ...more] = permissions(session)
  if (gate === undefined || more.length > 0) throw new Error(`${more.length + (gate === undefined ? 0 : 1)} gates`)
  return gate
}

/** Answers each gate that opens, one after the other, until the session rests. */
export async function answerAll(session: Session, action: GateAction): Promise<number> {
  for (let count = 0; ; count += 1) {
    if ((await session.waitIdle({ orWaiting: true })) === 'idle') return count
    const [gate] = permissions(session)
    if (gate === undefined) throw new Error('it waits for something else')
    await session.answer(gate.gateId, { action })
  }
}

/** The codes of the calls of a tool that failed, in the order in which they ended. */
export function failedCodes({ events }: SessionRecording, tool: string): readonly string[] {
  return events('ToolCallCompleted').flatMap(({ toolName, code }) =>
    toolName === tool && code !== undefined ? [code] : [],
  )
}
