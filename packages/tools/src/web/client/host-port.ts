import { parseTarget } from './web-target.ts'

/** Normalises a host and a port that stand by themselves; undefined for what is none. An IPv6 address may have brackets. */
export function parseHostPort(
  host: unknown,
  port: unknown,
): { readonly host: string; readonly port: number } | undefined {
  if (typeof host !== 'string' || /[/?#@\\]/.test(host) || !/^\d{1,5}$/.test(String(port))) return undefined
  try {
    const target = parseTarget(`http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`)
    return { host: target.host, port: target.port }
  } catch {
    return undefined
  }
}
