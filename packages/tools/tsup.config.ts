import type { Options } from 'tsup'
import { doors } from '../../tsup.base.ts'

const build = doors(
  'index',
  'workspace',
  'process',
  'web',
  'task',
  'ask-user',
  'skill',
  'permission',
  'testing',
) as Options // proved: one entry table gives one set of options

/** The search worker is started by its file name, so it is built beside the doors. */
export default { ...build, entry: { ...build.entry, 're2-worker': 'src/workspace/grep/re2-worker.js' } } as Options
