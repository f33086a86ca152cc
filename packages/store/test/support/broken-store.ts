/** Memory stores with one promise broken, to see whether the contract's suite notices. */
import type { Leases, Ledger, Store } from '../../src/index.ts'
import { memoryStore } from '../../src/memory.ts'
import { runStoreContract } from '../../src/testing.ts'

/** Replaces methods of a store by broken ones. */
export type Breakage = (store: Store) => { readonly ledger?: Partial<Ledger>; readonly leases?: Partial<Leases> }

/**
 * The rules of the contract that fail on such a store; those on very large bodies are left out for the time they take.
 *
 * @param only - the rules to try, for a store that lets others wait in vain.
 */
export async function failingRules(breakage: Breakage, only?: readonly string[]): Promise<readonly string[]> {
  const cases: { readonly rule: string; readonly run: () => Promise<void> }[] = []
  runStoreContract(
    { describe: (_, body) => body(), it: (rule, run) => /16 MiB|large/.test(rule) || cases.push({ rule, run }) },
    { name: 'broken', reopens: false, open: (clock) => ({ store: breakStore(memoryStore({ clock }), breakage) }) },
  )
  const failing: string[] = []
  for (const { rule, run } of cases) if (only?.includes(rule) !== false) await run().catch(() => failing.push(rule))
  return failing
}

function breakStore(store: Store, breakage: Breakage): Store {
  const { ledger, leases } = breakage(store)
  return { ledger: override(store.ledger, ledger), leases: override(store.leases, leases), close: () => store.close() }
}

function override<T extends Ledger | Leases>(real: T, broken: Partial<T> = {}): T {
  return new Proxy(real, {
    get(target, name) {
      const value = Reflect.get(name in broken ? broken : target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
