/** Says whether the protocol takes a name for a function. */
export function isFunctionName(name: string): boolean {
  return /^[A-Za-z_][\w.:-]{0,127}$/.test(name)
}

/**
 * The name under which a past call is sent back. A model may have made up one that the provider refuses; the call got
 * its error result then, and the history must stay sendable.
 */
export function replayedFunctionName(name: string): string {
  if (isFunctionName(name)) return name
  const legal = name.replace(/[^\w.:-]/g, '_').slice(0, 127)
  return /^[A-Za-z_]/.test(legal) ? legal : `_${legal}`
}
