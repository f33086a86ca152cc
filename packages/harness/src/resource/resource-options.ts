import { DefinitionError } from '../error/errors.ts'

/** Where the resources of sessions keep what outlives a process of theirs. */
export interface ResourceOptions {
  /**
   * A folder of this user, made when it is not there; others must not be able to write in it, nor tools: it lies outside
   * of the workspace. Each session has a private
   * folder below it, named for its id, and keeps it: whoever owns the root removes those of sessions that are no more.
   */
  readonly root: string
}

/**
 * Checks and copies the option.
 *
 * @throws DefinitionError `resources.root`.
 */
export function checkResources(resources: ResourceOptions | undefined): ResourceOptions | undefined {
  if (resources === undefined) return undefined
  const { root } = resources ?? {}
  if (typeof root !== 'string' || root.trim() === '') throw new DefinitionError('resources.root', 'expected a path')
  return Object.freeze({ root })
}
