import {
  createWorkspaceCoordinator,
  type Permit,
  type WorkspaceAccess,
  type WorkspaceCoordinator,
  type WorkspaceOperation,
} from '@looprig/tools'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

type Ask = WorkspaceOperation | WorkspaceAccess

const whole: Ask = { kind: 'whole' }
const checkpoint: Ask = { kind: 'checkpoint' }
const broad: Ask = { kind: 'broad_write' }
const reader: Ask = { kind: 'read_only' }
const path = (at: string): Ask => ({ kind: 'path', path: at })
const scoped = (...trees: string[]): Ask => ({ kind: 'scoped_write', paths: [], trees })

function enter(coordinator: WorkspaceCoordinator, ask: Ask, signal = new AbortController().signal): Promise<Permit> {
  const isCall = ask.kind === 'path' || ask.kind === 'whole' || ask.kind === 'checkpoint'
  return isCall ? coordinator.acquire(ask, signal) : coordinator.acquireLifetime(ask, signal)
}

/** One that asks, and whether it was let in. */
class Asker {
  readonly end = new AbortController()
  permit: Permit | undefined
  code: string | undefined
  readonly settled: Promise<void>
  readonly ask: Ask

  constructor(coordinator: WorkspaceCoordinator, ask: Ask) {
    this.ask = ask
    this.settled = enter(coordinator, ask, this.end.signal).then(
      (permit) => {
        this.permit = permit
      },
      (error: { code?: string }) => {
        this.code = error.code
      },
    )
  }

  get isIn(): boolean {
    return this.permit !== undefined
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
}

describe('createWorkspaceCoordinator', () => {
  it.each([
    ['a reader', reader, 'a reader', reader, true],
    ['a reader', reader, 'a path', path('/w/a'), true],
    ['a reader', reader, 'a scope', scoped('/w/a'), true],
    ['a reader', reader, 'the whole', whole, true],
    ['a reader', reader, 'a checkpoint', checkpoint, true],
    ['a reader', reader, 'a broad writer', broad, true],
    ['a path', path('/w/a'), 'the same path', path('/w/a'), false],
    ['a path', path('/w/a'), 'a path below', path('/w/a/b'), false],
    ['a path', path('/w/a/b'), 'a path above', path('/w/a'), false],
    ['a path', path('/w/a'), 'a path with the same start', path('/w/ab'), true],
    ['a path', path('/w/a'), 'another path', path('/w/b'), true],
    ['a path', path('/w/a'), 'the root', path('/'), false],
    ['a path', path('/w/a/b'), 'a scope above', scoped('/w/b', '/w/a'), false],
    ['a path', path('/w/c'), 'a disjoint scope', scoped('/w/b', '/w/a'), true],
    ['a path', path('/w/a'), 'the whole', whole, false],
    ['a path', path('/w/a'), 'a checkpoint', checkpoint, false],
    ['a path', path('/w/a'), 'a broad writer', broad, false],
    ['a scope', scoped('/w/a'), 'a scope that overlaps', scoped('/w/a/b'), false],
    ['a scope', scoped('/w/a'), 'a disjoint scope', scoped('/w/b'), true],
    ['a scope', scoped('/w/a'), 'a checkpoint', checkpoint, false],
    ['a scope of nothing', scoped(), 'the whole', whole, true],
    ['the whole', whole, 'a checkpoint', checkpoint, false],
    ['the whole', whole, 'a broad writer', broad, false],
    ['a broad writer', broad, 'a broad writer', broad, false],
    ['a checkpoint', checkpoint, 'a checkpoint', checkpoint, false],
  ])('lets %s (%j) and %s (%j) in at once: %s', async (_one, first, _other, second, areTogether) => {
    for (const [held, asked] of [
      [first, second],
      [second, first],
    ] as const) {
      const coordinator = createWorkspaceCoordinator()
      const permit = await enter(coordinator, held)
      const asker = new Asker(coordinator, asked)
      await settle()
      expect(asker.isIn).toBe(areTogether)

      permit.release()
      await settle()
      expect(asker.isIn).toBe(true)
    }
  })

  it('lets nobody overtake who conflicts with one that waits ahead', async () => {
    const coordinator = createWorkspaceCoordinator()
    const process = new Asker(coordinator, scoped('/w/a'))
    const snapshot = new Asker(coordinator, checkpoint)
    const edit = new Asker(coordinator, path('/w/b'))
    const look = new Asker(coordinator, reader)
    await settle()
    expect([process.isIn, snapshot.isIn, edit.isIn, look.isIn]).toEqual([true, false, false, true])

    process.permit?.release()
    await settle()
    expect([snapshot.isIn, edit.isIn]).toEqual([true, false])

    snapshot.permit?.release()
    await settle()
    expect(edit.isIn).toBe(true)
  })

  it('counts a permit that is given back twice once', async () => {
    const coordinator = createWorkspaceCoordinator()
    const first = await enter(coordinator, whole)
    const second = new Asker(coordinator, whole)
    const third = new Asker(coordinator, whole)

    first.release()
    first.release()
    await settle()

    expect([second.isIn, third.isIn]).toEqual([true, false])
  })

  it('ends a wait with `interrupted` and lets go on who waited behind it', async () => {
    const coordinator = createWorkspaceCoordinator()
    const edit = new Asker(coordinator, path('/w/a'))
    const snapshot = new Asker(coordinator, checkpoint)
    const other = new Asker(coordinator, path('/w/b'))
    await edit.settled

    snapshot.end.abort()
    await settle()

    expect([snapshot.code, other.isIn]).toEqual(['interrupted', true])
  })

  it.each([
    ['a call', path('/w/a'), /another call writes there/],
    ['a process', scoped('/w'), /a process in the background may write there/],
    ['a process that waits ahead', broad, /a process in the background may write there/],
  ])('says that it waited for %s', async (_what, ahead, message) => {
    const coordinator = createWorkspaceCoordinator()
    const held = await enter(coordinator, path('/w/a'))
    if (ahead.kind === 'scoped_write') held.release()
    void new Asker(coordinator, ahead)
    const end = new AbortController()
    const waiting = enter(coordinator, path('/w/a'), end.signal)

    end.abort()

    await expect(waiting).rejects.toThrow(message)
  })

  it('lets nobody in whose signal is aborted before, and leaves a permit alone whose signal is aborted after', async () => {
    const coordinator = createWorkspaceCoordinator()
    await expect(enter(coordinator, whole, AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' })
    const first = new Asker(coordinator, whole)
    await first.settled
    first.end.abort()

    const second = new Asker(coordinator, whole)
    await settle()

    expect(second.isIn).toBe(false)
  })

  it.each([
    ['relative', path('a')],
    ['empty', path('')],
    ['not clean', path('/w/../a')],
    ['with a NUL', path('/w/a\0')],
    ['relative in a scope', scoped('/w', 'a')],
  ])('refuses a path that is %s, and tells it nowhere', async (_what, ask) => {
    const coordinator = createWorkspaceCoordinator()

    await expect(enter(coordinator, ask)).rejects.toMatchObject({
      code: 'invalid_workspace_access',
      message: 'a workspace path must be absolute and clean',
    })
    await expect(enter(coordinator, whole)).resolves.toBeDefined()
  })

  it('lets 4,096 wait and refuses the next at once', async () => {
    const coordinator = createWorkspaceCoordinator()
    const first = await enter(coordinator, path('/w/a'))
    const ends = Array.from({ length: 4_096 }, () => new AbortController())
    const waiting = ends.map(({ signal }) => enter(coordinator, path('/w/a'), signal))

    await expect(enter(coordinator, path('/w/a'))).rejects.toMatchObject({ code: 'workspace_busy' })
    await expect(enter(coordinator, path('/w/b'))).resolves.toBeDefined()
    for (const end of ends) end.abort()
    await expect(Promise.allSettled(waiting)).resolves.toHaveLength(4_096)
    const next = new Asker(coordinator, path('/w/a'))
    first.release()
    await settle()
    expect(next.isIn).toBe(true)
  })

  it('lets in exactly those whom the table and the order let in, whatever comes, ends and is given up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const coordinator = createWorkspaceCoordinator()
        const askers: Asker[] = []
        const left = new Set<Asker>()
        for (const { kind, ask, pick } of steps) {
          const chosen = askers[pick % Math.max(1, askers.length)]
          if (kind === 'ask') askers.push(new Asker(coordinator, ask))
          else if (chosen !== undefined && kind === 'release' && chosen.isIn) {
            chosen.permit?.release()
            left.add(chosen)
          } else if (chosen !== undefined && kind === 'abort') {
            if (!chosen.isIn) left.add(chosen)
            chosen.end.abort()
          }
          await settle()
          expect(askers.filter((asker) => asker.isIn && !left.has(asker))).toEqual(letIn(askers, left))
        }
      }),
      { numRuns: 300 },
    )
  })
})

const somePath = fc.constantFrom('/w', '/w/a', '/w/a/b', '/w/ab', '/w/b', '/w/b/c')
const step = fc.record({
  kind: fc.constantFrom('ask', 'ask', 'release', 'abort'),
  ask: fc.oneof(
    fc.constantFrom(whole, checkpoint, broad, reader),
    somePath.map(path),
    somePath.map(path),
    fc.array(somePath, { maxLength: 2 }).map((trees) => scoped(...trees)),
  ),
  pick: fc.nat(40),
})

/** The specification, said plainly: who came and has not left goes on when it conflicts with nobody ahead. */
function letIn(askers: readonly Asker[], left: ReadonlySet<Asker>): readonly Asker[] {
  const present = askers.filter((asker) => !left.has(asker))
  return present.filter((asker, index) => present.slice(0, index).every((ahead) => !conflict(ahead.ask, asker.ask)))
}

function conflict(one: Ask, other: Ask): boolean {
  const [a, b] = [written(one), written(other)]
  return a.some((x) => b.some((y) => x === y || isAbove(x, y) || isAbove(y, x)))
}

function isAbove(above: string, below: string): boolean {
  return above === '/' || below.startsWith(`${above}/`)
}

function written(ask: Ask): readonly string[] {
  if (ask.kind === 'read_only') return []
  if (ask.kind === 'path') return [ask.path]
  if (ask.kind === 'scoped_write') return [...ask.paths, ...ask.trees]
  return ['/']
}
