import { it } from 'vitest'
import { readRecords } from '../journal/stores.ts'
import { nameOf, readBodies } from '../restore/journal-invariants.ts'
import { Scene } from './scene.ts'
const [script, options] = JSON.parse(process.env.SCRIPT ?? '[[]]')
it('dump', async () => {
  const scene = new Scene(options ?? {})
  await scene.begin()
  const show = async (from: number, note: string) => {
    const records = readBodies(await readRecords(scene.store, scene.id))
    for (const r of records.slice(from)) {
      const b = r.body as unknown as Record<string, unknown>
      const short = (x: unknown) => String(x ?? '').slice(0, 8) + String(x ?? '').slice(-2)
      console.log(r.seq, r.kind, nameOf(r), 'loop', short(b['loopId']), 'turn', short(b['turnId']), 'in', r.kind === 'input' ? r.id : short(b['inputId']), b['reason'] ?? '', b['action'] ?? '')
    }
    console.log('--', note, 'owners', scene.told.map(({ session, isRobbed, events }) => `${session.fault ? Reflect.get(session.fault, 'reason') : 'ok'} ${isRobbed} ${events.deliveries.length}`))
    return records.length
  }
  let n = 0
  for (const act of script) { await scene.perform(act); n = await show(n, act) }
  await scene.finish().catch((e) => console.log('FINISH', e))
  n = await show(n, 'finish')
  for (const { session } of scene.told) console.log(session.loops.map(({loopId}) => [loopId.slice(-3), (session as any)]).length, session.gates().length)
}, 60000)
