/** Scripts that broke a law once, as short as they were found. A new one belongs here. */
import { describe, it } from 'vitest'
import { play } from './play.ts'
import type { SceneOptions } from './scene.ts'

const scripts: readonly (readonly [string, readonly string[], SceneOptions?])[] = [
  ['the first input came from another process: it is the title', ['mail agent:bad', 'wait 1', 'alone work']],
  ['an agent at work when its parent is interrupted: its call completes for watchers', ['submit agent:deaf+work']],
  [
    'an agent whose turn is to be judged: the session is told active once',
    ['submit agent:work', 'alone post:text'],
    { guarded: true },
  ],
  [
    'another process takes back what a call waits for',
    ['submit back:deaf', 'mail tell:work', 'clock 60', 'wait 1', 'clock 60', 'clock 60', 'drop 3'],
  ],
  [
    'an answer comes between the plan of a restore and its append',
    ['submit', 'answer 0 yes', 'mail text', 'submit slow', 'submit back:ask', 'wait 8', 'reply 0 yes', 'rob'],
  ],
  [
    'a session that is shut down is taken over while a call of it waits for an agent',
    ['mail agent:bad', 'reply 0 yes', 'rob', 'close', 'rob'],
  ],
  ['one loop is parked at a gate when another is shut down', ['submit rule', 'switch', 'answer 0 yes', 'submit', 'clock 60', 'restart']],
  ['an agent hands back to a loop that is parked', ['submit back:work rule', 'wait 3', 'restart']],
  [
    'a subscriber begins where another one has read to in the journal',
    ['written 300', 'mail', 'restart', 'answer 0 yes', 'follow 0'],
  ],
]

describe('a script that broke a law once', () => {
  it.each(scripts)('keeps them all: %s', (_, script, options) => play(script, options))
})
