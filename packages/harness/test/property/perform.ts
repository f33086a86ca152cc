/**
 * What an act of a script does. An act is a verb and its words, so that a script that failed can be read, and played
 * again. Most come back at once: what they lead to goes on beside the next ones.
 */
import type { AppendFault } from '../../src/testing.ts'
import { delivered, model } from '../session/open-session.ts'
import { answerTo } from './answer-to.ts'
import type { Scene } from './scene.ts'

export async function perform(scene: Scene, act: string): Promise<void> {
  const [verb = '', ...words] = act.split(' ')
  const [word = ''] = words
  const number = Number(words[0] ?? 0)
  const { session, calls, faults } = scene
  const loopOf = (name: string | undefined) =>
    name === undefined ? {} : { loopId: session.loops[Number(name) % session.loops.length]?.loopId }
  const text = ['do', ...words].join(' ')
  switch (verb) {
    case 'submit':
    case 'alone':
      calls.submitted(act, text, session.submit(text, { noFold: verb === 'alone' }))
      return
    case 'again': {
      const before = calls.before(number)
      if (before === undefined) return
      calls.submitted(act, before.text, session.submit(before.text, { inputId: before.inputId }))
      return
    }
    case 'mail':
      calls.mail(act, scene.mailbox().submit(text, { noFold: words.length % 3 === 1 }))
      return
    case 'crowd':
      // more than can wait
      for (let count = 0; count < 70; count += 1) calls.mail(act, scene.mailbox().submit('do'))
      return
    case 'cancel':
    case 'recall': {
      const before = calls.before(number)
      const owner = verb === 'cancel' ? session : scene.mailbox()
      if (before !== undefined) calls.add(act, owner.cancel(before.inputId))
      return
    }
    case 'drop': {
      // whatever waits, also what agents sent
      const queued = (await scene.inspect()).loops.flatMap((loop) => loop.queued)
      const input = queued[number % Math.max(1, queued.length)]
      const owner = number % 2 === 0 ? session : scene.mailbox()
      if (input !== undefined) calls.add(act, owner.cancel(input.inputId))
      return
    }
    case 'interrupt':
      calls.add(act, session.interrupt())
      return
    case 'answer':
    case 'reply': {
      // a person answers what is asked by now, or soon
      for (let turns = 0; turns < 8 && session.gates().length === 0; turns += 1) await delivered()
      const gates = session.gates()
      const gate = gates[number % Math.max(1, gates.length)]
      const owner = verb === 'answer' ? session : scene.mailbox()
      if (gate !== undefined) calls.add(act, owner.answer(gate.gateId, answerTo(gate, words[1])))
      return
    }
    case 'mode':
      calls.add(act, session.setMode(word === 'base' ? '' : word, loopOf(words[1])))
      return
    case 'model':
      calls.add(act, session.setModel({ ...model, name: word }, loopOf(words[1])))
      return
    case 'compact':
      calls.add(act, session.compact(loopOf(words[0])))
      return
    case 'switch': {
      const other = session.loops.slice(0, 2).find(({ loopId }) => loopId !== session.loopId)
      if (other !== undefined) calls.add(act, session.setActiveLoop(other.loopId))
      return
    }
    case 'follow': {
      const since = Math.max(0, scene.heard - number)
      calls.add(act, session.subscribe({ since }).next())
      return
    }
    case 'wait':
      for (let turn = 0; turn < number; turn += 1) await delivered()
      return
    case 'tick':
      for (let tick = 0; tick < number; tick += 1) await Promise.resolve()
      return
    case 'clock':
      await scene.clock.advance(number)
      return
    case 'refused':
      faults.push({ kind: 'refused' })
      return
    case 'lost':
    case 'written':
      faults.push(...Array<AppendFault>(number).fill({ kind: 'unknown', written: verb === 'written' }))
      return
    case 'slow':
      faults.push({ kind: 'hooked', before: () => delivered(), after: () => delivered() })
      return
    case 'race':
      faults.push({ kind: 'hooked', before: () => perform(scene, words.join(' ')).then(delivered) })
      return
    case 'restart':
      await scene.restart()
      return
    case 'close':
      // what comes next finds a session that ends, until somebody restores it
      calls.add(act, scene.close())
      return
    case 'rob':
      await scene.rob()
      return
    default:
      throw new Error(`no such act: ${act}`)
  }
}
