/** Every door, as built, can be required and imported, and both give the same names. */
import { join } from 'node:path'
import { listPackages } from '../bootstrap/workspace.mjs'
import { listDoors } from './import-graph.mjs'
import { runCommand } from './run-tool.mjs'

/** Runs in the package's folder, where its own name resolves. */
const probe = `
const specifier = process.argv[1]
const required = Object.keys(require(specifier))
import(specifier).then((module) => {
  const imported = Object.keys(module)
  if (required.join() !== imported.join()) throw new Error('require gives ' + required + ', import gives ' + imported)
})`

/**
 * Loads each door in a process of its own.
 *
 * @param {string} root
 * @returns {Promise<string[]>} what went wrong, door by door.
 */
export async function checkBuiltDoors(root) {
  const doors = listPackages(root).flatMap((owner) =>
    listDoors(owner).map(({ specifier }) => ({ specifier, cwd: join(root, owner.folder) })),
  )
  const outcomes = await Promise.all(
    doors.map(async ({ specifier, cwd }) => {
      const output = await runCommand(process.execPath, ['--no-warnings', '-e', probe, specifier], { cwd })
      return output.length > 0 ? [`${specifier}:`, ...output] : []
    }),
  )
  return outcomes.flat()
}
