import { it } from 'vitest'
import { bundleChild } from './crash-child.ts'
import { crashAt } from './crash.ts'
import { isDue } from './crash-checks.ts'
import { tempFolder } from '../journal/stores.ts'
import { nameOf, eventsOf } from '../restore/journal-invariants.ts'
import { openTurnsOf } from '../restore/open-turns.ts'
import { nameOfPoint } from './kill-point.ts'
const points = JSON.parse(process.env.PTS ?? '[]')
it('x', async () => {
  const script = await bundleChild('crash-child-main', tempFolder())
  for (const [a, b] of points) {
    for await (const crash of crashAt(script, { append: Math.abs(a), when: a < 0 ? 'before' : 'after' }, { first: [], second: () => (b ? [{ append: Math.abs(b), when: b < 0 ? 'before' : 'after' }] : []) })) {
      const loops = eventsOf(crash.before, 'LoopStarted').map(({ loopId }) => loopId as string)
      console.log(nameOfPoint(crash.point), crash.status, crash.inspection?.status, JSON.stringify(crash.due), '\n', crash.before.slice(-40).map((r) => `${'loopId' in r.body ? loops.indexOf(r.body.loopId as string) : '-'}:${nameOf(r)}${r.kind==='run'||r.kind==='input' ? ' ' + r.id.slice(0,3)+ '..' + r.id.slice(-6) : ''}`).join(' '),
       '\n', JSON.stringify(openTurnsOf(crash.before).map((t) => ({ l: loops.indexOf(t.loopId), waits: t.waits, goesOn: t.goesOn, calls: t.step?.calls.map((c) => String(c.expected)) }))))
      try { isDue(crash) } catch (e) { console.log('DUE FAIL') }
    }
  }
}, 100000)
