import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = join(dirname(fileURLToPath(import.meta.url)), '../../..')
// not the command in .bin: that one needs more than a shell
const tsup = join(packages, '../node_modules/tsup/dist/cli-default.js')

/** A folder in which the packages are installed as they are built, without their sources. */
export interface BuiltPackages {
  readonly folder: string
  /** Runs a module of the given text there, in a process of its own, and gives what it prints. */
  run(script: string, ...args: readonly string[]): string
}

/** Builds core and tools into a new folder below the system's temporary one. The caller removes it. */
export async function buildPackages(): Promise<BuiltPackages> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'looprig-tools-built-')))
  for (const name of ['core', 'tools']) {
    const target = join(folder, 'node_modules/@looprig', name)
    await mkdir(target, { recursive: true })
    await copyFile(join(packages, name, 'package.json'), join(target, 'package.json'))
    execFileSync(process.execPath, [tsup, '--outDir', join(target, 'dist')], { cwd: join(packages, name) })
  }
  for (const name of [...(await thirdPartyDependencies()), 'zod']) {
    await symlink(await realpath(join(packages, 'tools/node_modules', name)), join(folder, 'node_modules', name))
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const options = { cwd: folder, encoding: 'utf8' } as const
  return {
    folder,
    run: (script, ...args) => execFileSync(process.execPath, ['--input-type=module', '-e', script, ...args], options),
  }
}

/** What npm would install with the package; optional peers are left out. */
async function thirdPartyDependencies(): Promise<readonly string[]> {
  const manifest: unknown = JSON.parse(await readFile(join(packages, 'tools/package.json'), 'utf8'))
  const { dependencies } = manifest as { readonly dependencies: Readonly<Record<string, string>> } // proved: it is our own
  return Object.keys(dependencies).filter((name) => !name.startsWith('@looprig/'))
}
