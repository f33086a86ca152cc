import { execFileSync, spawnSync } from 'node:child_process'
import { lstat, mkdir, mkdtemp, readFile, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConformanceCase, runToolConformance } from '@looprig/tools/testing'
import { describe, it } from 'vitest'
import { addNoteDefinition, noteCodes, wordCountDefinition } from '../src/index.ts'

runToolConformance(
  wordCountDefinition(),
  [{ name: 'three words', open: () => ({ args: { text: 'one two  three' } }) }],
  { describe, it },
)

const secret = 'SENTINEL-of-the-notes'

/** A call of `AddNote` in a folder of its own. `arrange` puts there what the test needs. */
function note(name: string, arrange: (notes: string) => Promise<unknown>, fails?: string): ConformanceCase {
  return {
    name,
    fails,
    codes: noteCodes,
    sentinels: [secret],
    open: async () => {
      const root = await realpath(await mkdtemp(join(tmpdir(), 'own-tool-package-')))
      const notes = join(root, 'NOTES.md')
      await arrange(notes)
      return {
        args: { line: `buy milk, and ${secret}` },
        bindings: { workspace: { root } },
        // all that the tool could change: the notes, and the file that a link leads to
        observe: () => Promise.all([notes, join(root, 'other')].map((path) => start(path))),
        close: () => rm(root, { recursive: true, force: true }),
      }
    },
  }
}

/** The start of a file; nothing where there is none. Reading a pipe would wait for its other end. */
async function start(path: string): Promise<string | undefined> {
  const status = await lstat(path).catch(() => undefined)
  return status?.isFile() ? (await readFile(path, 'utf8')).slice(0, 1_000) : undefined
}

runToolConformance(
  addNoteDefinition(),
  [
    note('no notes yet', async () => {}),
    note('some notes', (notes) => writeFile(notes, `${secret}\n`)),
    note('a link to another file', (notes) => symlink(join(notes, '..', 'other'), notes), 'not_a_file'),
    note('a folder', (notes) => mkdir(notes), 'not_a_file'),
    note('a full file', (notes) => writeFile(notes, secret).then(() => truncate(notes, 1_048_577)), 'notes_full'),
    ...(spawnSync('mkfifo', ['--version']).status !== 0
      ? []
      : [note('a pipe that nobody reads', async (notes) => execFileSync('mkfifo', [notes]), 'not_a_file')]),
  ],
  { describe, it },
)
