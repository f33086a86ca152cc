import type { Placed } from './arrange-turns.ts'

/** Instructions from wherever they stand, since these protocols have one place for them. */
export function systemText(system: string | undefined, pieces: readonly Placed[]): string {
  const texts = [system ?? '']
  for (const piece of pieces) if (piece.place === 'system') texts.push(piece.parts)
  return texts.filter((text) => text.trim() !== '').join('\n\n')
}
