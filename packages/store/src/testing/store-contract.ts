/** The contract of a store as a suite that any implementation runs. */
import { addAppendCases } from './append-cases.ts'
import { Bench, type OpenedStore } from './bench.ts'
import { addBodyCases } from './body-cases.ts'
import type { AddCase, TestClock } from './case.ts'
import { addLeaseCases } from './lease-cases.ts'
import { addOutsideCases } from './outside-cases.ts'
import { addReadCases } from './read-cases.ts'
import { addRefusalCases } from './refusal-cases.ts'
import { addReopenCases } from './reopen-cases.ts'
import { addSlotCases } from './slot-cases.ts'
import { addWakeCases } from './wake-cases.ts'
import { addWatchCases } from './watch-cases.ts'

/** The two functions of a test runner, such as those of vitest or `node:test`. */
export interface StoreContractRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
}

/** The store that is tried. */
export interface StoreContractSubject {
  /** Its name in the report. */
  readonly name: string
  /** Whether `open` gives `reopen`; the cases that need it are left out when it does not. */
  readonly reopens: boolean
  /** Opens an empty store for one case. It takes its time from `clock`, in milliseconds since 1970. */
  open(clock: () => number): OpenedStore | Promise<OpenedStore>
}

/** Adds one test per rule of the contract. A case fails by throwing an assertion error. */
export function runStoreContract(runner: StoreContractRunner, subject: StoreContractSubject): void {
  const add: AddCase = (rule, run) => runner.it(rule, () => runCase(subject, run))
  runner.describe(subject.name, () => {
    runner.describe('append', () => addAppendCases(add))
    runner.describe('slots and fence', () => addSlotCases(add))
    runner.describe('appends without an epoch', () => addOutsideCases(add))
    runner.describe('wakes', () => addWakeCases(add))
    runner.describe('bodies', () => addBodyCases(add))
    runner.describe('pages and lists', () => addReadCases(add))
    runner.describe('watches', () => addWatchCases(add))
    runner.describe('leases', () => addLeaseCases(add))
    runner.describe('refusals', () => addRefusalCases(add))
    if (subject.reopens) runner.describe('other stores on the same data', () => addReopenCases(add))
  })
}

async function runCase(subject: StoreContractSubject, run: Parameters<AddCase>[1]): Promise<void> {
  const clock: TestClock = { now: 1_000 }
  const opened = await subject.open(() => clock.now)
  const bench = new Bench(opened)
  try {
    await run(bench, clock)
  } finally {
    await bench.close()
    await opened.cleanUp?.()
  }
}
