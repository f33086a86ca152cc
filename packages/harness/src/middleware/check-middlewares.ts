import { DefinitionError } from '../error/errors.ts'
import type { ToolMiddleware } from './tool-middleware.ts'

/**
 * Copies the middlewares of a loop.
 *
 * @throws DefinitionError naming the one that is none.
 */
export function checkMiddlewares(middlewares: readonly ToolMiddleware[] = []): readonly ToolMiddleware[] {
  if (!Array.isArray(middlewares)) throw new DefinitionError('middlewares', 'expected a list')
  for (const [index, middleware] of middlewares.entries()) {
    if (typeof middleware !== 'function') throw new DefinitionError(`middlewares[${index}]`, 'expected a function')
  }
  return Object.freeze([...middlewares])
}
