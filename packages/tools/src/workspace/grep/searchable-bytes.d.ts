/** A file as a search sees it: UTF-8 without a byte order mark. */
export interface SearchableBytes {
  readonly bytes: Buffer<ArrayBuffer>
  readonly isBinary: boolean
}

/** Turns the bytes of a file, or of its head, into UTF-8 without a byte order mark. UTF-16 is told by its mark. */
export function toSearchable(bytes: Buffer<ArrayBuffer>): SearchableBytes
