import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { storePath } from '../support/sqlite-fixture.ts'
import { bundleChild, startChild } from '../support/store-child.ts'
import { tempFolder } from '../support/temp-folder.ts'

const bundle = tempFolder()
let script = ''
beforeAll(async () => {
  script = await bundleChild(bundle.path)
})
afterAll(() => bundle[Symbol.dispose]())

const traces = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

// Needs strace and the right to trace; SIGKILL alone cannot show that a commit waited for the disk.
describe.skipIf(!traces)('sqliteStore seen by strace', () => {
  it('syncs the log once before each acknowledgement', async () => {
    const path = storePath()
    const trace = join(dirname(path), 'trace')
    const tracer = ['strace', '-f', '-y', '-e', 'trace=fsync,fdatasync,write', '-o', trace]
    const child = startChild(script, 'append', path, 'a', tracer)
    await child.exited()

    const calls = readFileSync(trace, 'utf8').split('\n')
    const story = calls.flatMap((call) => {
      if (/\b(fsync|fdatasync)\(\d+<.*sessions\.db-wal>/.test(call)) return 'sync'
      return call.includes('write(1<') && call.includes('seq') ? 'ack' : []
    })
    const between = story
      .join(' ')
      .split(/ ?ack ?/)
      .slice(1, -1)

    expect(between.length).toBe(199)
    expect(between.filter((syncs) => syncs === '')).toEqual([])
    expect(between.filter((syncs) => syncs === 'sync').length).toBeGreaterThan(190)
  })
})
