import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** `npm run check` knows nothing of this folder, whose dependencies may not be there. */
it('compiles', async () => {
  const args = [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'interop', '--pretty', 'false']
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`))
  })

  const own = said.split(/\r?\n/).filter((line) => !/^(?:packages|examples|scripts)\/|^\s/.test(line) && line !== '')
  expect(own).toEqual([])
}, 120_000)
