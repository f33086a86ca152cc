import fc from 'fast-check'
import { it } from 'vitest'
import { readRecords } from '../journal/stores.ts'
import { nameOf, readBodies } from '../restore/journal-invariants.ts'
import { textOf } from '@looprig/core'
import { Scene } from './scene.ts'
import { troubledScript } from './scripts.ts'
it('stats', async () => {
  const counts = new Map<string, number>()
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const scripts = fc.sample(troubledScript, 300)
  let time = performance.now()
  for (const script of scripts) {
    const scene = new Scene({ guarded: script.length % 3 === 0, timeoutMs: script.length % 4 === 0 ? 3000 : undefined })
    await scene.begin()
    for (const act of script) { await scene.perform(act); add('acts') }
    await scene.finish()
    await scene.end()
    add(`owners ${scene.told.length}`)
    for (const told of scene.told) add(`fault ${String(Reflect.get(told.session.fault ?? {}, 'reason'))}`)
    for (const {outcome} of await scene.outcomes()) if (outcome instanceof Error) add(`error ${String(Reflect.get(outcome,'code'))}`)
    for (const { result } of await scene.said()) add(`result ${result?.status}`)
    const records = readBodies(await readRecords(scene.store, scene.id))
    for (const r of records) {
      add(nameOf(r))
      if (r.kind==='event' && r.body.type === 'GateResolved') add(`gate ${r.body.reason} ${r.body.action ?? r.body.answer ?? ''}`)
      if (r.kind==='event' && r.body.type === 'TurnFailed') add(`failed ${r.body.error.code}`)
      if (r.kind==='event' && r.body.type === 'TurnRejected') add(`rejected ${r.body.reason}`)
      if (r.kind==='event' && r.body.type === 'InputCancelled') add(`cancelled ${r.body.reason}`)
      if (r.kind==='event' && r.body.type === 'CompactionRejected') add(`compaction ${r.body.cause}`)
      if (r.kind==='event' && r.body.type === 'StepDone') for (const m of r.body.messages.slice(1)) add(`told ${textOf(m.blocks).slice(0,24)}`)
      if (r.kind === 'input') add(`input ${r.body.agency} ${r.body.caller ? 'caller' : ''} ${r.body.from ? 'from' : ''}`)
    }
  }
  console.log(performance.now()-time, [...counts].sort().map(([k, v]) => `${k}: ${v}`).join('\n'))
}, 300000)
