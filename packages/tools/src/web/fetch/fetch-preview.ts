import type { Preview } from '../../contract/preview.ts'
import { cleanText } from '../text/clean-text.ts'
import type { ApprovedFetch } from './fetch-arguments.ts'

const secretHeader = /auth|cookie|token|key|secret|password|credential|signature/

/** All that a request would send, for the person who decides; the values of headers that look secret are left out. */
export function fetchPreview({ method, url, headers, body }: ApprovedFetch): Preview {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${secretHeader.test(name) ? '(hidden)' : value}`,
  )
  const text = [`${method} ${url}`, ...lines, ...(body === '' ? [] : ['', body])].join('\n')
  return { kind: 'text', text: cleanText(text) }
}
