import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Makes a workspace with the given files, gone when the test ends. Gives its canonical root. */
export async function tempWorkspace(files: Readonly<Record<string, string | Buffer>> = {}): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'looprig-tools-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await addFiles(root, files)
  return root
}

/** Writes files below a folder, with the folders that they need. */
export async function addFiles(root: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}
