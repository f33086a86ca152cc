import type { buildConnector } from 'undici'

/** undici connects again where a server closes before the request is out: without end, if the server goes on so. */
export function onlyOnce(connector: buildConnector.connector): buildConnector.connector {
  let isUsed = false
  return (given, callback) => {
    if (isUsed) return callback(new Error('the connection was closed'), null)
    isUsed = true
    connector(given, callback)
  }
}
