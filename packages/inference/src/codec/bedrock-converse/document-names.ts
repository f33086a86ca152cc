/** The name of a document that has none that can be said. */
const nameless = 'document'

const maxNameLength = 200

/**
 * Gives documents names that the protocol takes: letters, digits, single spaces, hyphens, brackets; no two alike in one
 * request, whatever message or tool result they are in.
 */
export class DocumentNames {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()))
  }

  take(fileName: string | undefined): string {
    const base = legalName(fileName)
    let name = base
    for (let copy = 2; this.#taken.has(name.toLowerCase()); copy += 1) {
      const suffix = ` ${copy}`
      name = `${base.slice(0, maxNameLength - suffix.length)}${suffix}`
    }
    this.#taken.add(name.toLowerCase())
    return name
  }
}

function legalName(fileName = ''): string {
  const legal = fileName
    .replace(/\.\w{1,8}$/, '')
    .replace(/[^A-Za-z0-9()[\]-]+/g, ' ')
    .trim()
    .slice(0, maxNameLength)
    .trimEnd()
  return legal === '' ? nameless : legal
}
