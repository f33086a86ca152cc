/** Scripts that broke a law once, as short as they were found. A new one belongs here. */
import { describe, it } from 'vitest'
import { play } from './play.ts'
import type { SceneOptions } from './scene-rig.ts'

interface Found {
  readonly of: string
  readonly script: readonly string[]
  readonly options?: SceneOptions
}

const found: readonly Found[] = [
  {
    of: 'who waits for a session to rest waits for what another process has said before',
    script: ['written 2', 'mail', 'mail', 'mode other'],
  },
  {
    of: 'a turn is interrupted while the start of its agent is on its way to the journal: its call knows of it',
    script: ['rob', 'submit agent:work', 'lost 1', 'wait 2', 'interrupt', 'race recall 0', 'clock 6000'],
  },
  {
    of: 'the first input came from another process: it is the title',
    script: ['mail agent:bad', 'wait 1', 'alone work'],
  },
  {
    of: 'an agent at work when its parent is interrupted: its call completes for watchers',
    script: ['submit agent:deaf+work'],
  },
  {
    of: 'an agent whose turn is to be judged: the session is told active once',
    script: ['submit agent:work', 'alone post:text'],
    options: { guarded: true },
  },
  {
    of: 'another process takes back what a call waits for',
    script: ['submit back:deaf', 'mail tell:work', 'clock 60', 'wait 1', 'clock 60', 'clock 60', 'drop 3'],
  },
  {
    of: 'an answer comes between the plan of a restore and its append',
    script: ['submit', 'answer 0 yes', 'mail text', 'submit slow', 'submit back:ask', 'wait 8', 'reply 0 yes', 'rob'],
  },
  {
    of: 'a session that is shut down is taken over while a call of it waits for an agent',
    script: ['mail agent:bad', 'reply 0 yes', 'rob', 'close', 'rob'],
  },
  {
    of: 'one loop is parked at a gate when another is shut down',
    script: ['submit rule', 'switch', 'answer 0 yes', 'submit', 'clock 60', 'restart'],
  },
  { of: 'an agent hands back to a loop that is parked', script: ['submit back:work rule', 'wait 3', 'restart'] },
  {
    of: 'a subscriber begins where another one has read to in the journal',
    script: ['written 300', 'mail', 'restart', 'answer 0 yes', 'follow 0'],
  },
]

describe('a script that broke a law once', () => {
  it.each(found)('keeps them all: $of', ({ script, options }) => play(script, options))
})
