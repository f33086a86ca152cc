import { DefinitionBuildError } from '../contract/errors.ts'
import type { WebClient } from './client/web-client.ts'

/** @throws DefinitionBuildError `missing_dependency` when there is no usable client. */
export function requireClient(definition: string, client: Partial<WebClient> | undefined): WebClient {
  const isUsable = typeof client?.request === 'function' && typeof client.checkUrl === 'function'
  if (!isUsable) throw new DefinitionBuildError('missing_dependency', definition, 'client')
  return client as WebClient // proved: both of its methods are there
}
