import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WireBody } from '../wire-body.ts'
import { bodyModule } from './body-module.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const bodyTypes = fileURLToPath(new URL('.', import.meta.url))

/**
 * Compiles bodies as literals of the SDKs' request types, in one run of the workspace's compiler.
 *
 * @returns what the compiler says of each body, by its name; nothing for one that the SDK takes.
 * @throws when the compiler says something of another file, or nothing although it failed.
 */
export async function compileBodies(bodies: readonly WireBody[]): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'looprig-bodies-'))
  try {
    await Promise.all(bodies.map((body, at) => writeFile(join(folder, `${fileName(at)}.ts`), bodyModule(body))))
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    return faultsOf(await compile(folder), bodies)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const settings = {
  extends: join(root, 'tsconfig.base.json'),
  compilerOptions: {
    paths: { '#body/*': [join(bodyTypes, '*')] },
    typeRoots: [join(root, 'node_modules', '@types')],
    rewriteRelativeImportExtensions: false,
  },
  include: ['*.ts'],
}

function fileName(at: number): string {
  return `body-${at}`
}

interface Compiled {
  readonly output: string
  readonly failed: boolean
}

function compile(folder: string): Promise<Compiled> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [compiler, '-p', folder, '--pretty', 'false']
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024, timeout: 300_000 }
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ output: `${stdout}${stderr}`, failed: error !== null }),
    )
  })
}

/** A fault begins with its file; the lines after it that are set in belong to it. */
function faultsOf({ output, failed }: Compiled, bodies: readonly WireBody[]): Map<string, string> {
  const faults = new Map<string, string>()
  for (const text of output.split(/\r?\n(?!\s)/)) {
    if (text.trim() === '') continue
    const at = /^(?:.*[\\/])?body-(\d+)\.ts\((.*)$/s.exec(text)
    const name = bodies[Number(at?.[1])]?.name
    if (name === undefined) throw new Error(`the compiler failed: ${text.slice(0, 2000)}`)
    faults.set(name, `${faults.get(name) ?? ''}${at?.[2]?.slice(0, 3000)}\n`)
  }
  if (failed && faults.size === 0) throw new Error('the compiler failed without a word')
  return faults
}
