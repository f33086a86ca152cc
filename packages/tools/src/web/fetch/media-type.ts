/** How a body is shown. */
export type BodyKind = 'html' | 'text' | 'binary' | 'unknown'

/** A content type taken apart: the type in lower case, empty when there is none. */
export interface MediaType {
  readonly type: string
  readonly charset: string | undefined
}

const textTypes =
  /^(?:text\/.+|application\/(?:json|xml|javascript|ecmascript|x-javascript|yaml|x-yaml|toml|graphql|sql|x-ndjson|ndjson|jsonl|json5|x-sh|x-httpd-php|x-www-form-urlencoded|rtf|csv|problem|typescript|x-tex|x-latex|pgp-signature|pgp-keys|x-pem-file)|image\/svg|.+\+(?:json|xml|yaml|text))$/

/** Reads a `content-type`. What is no type is as none. */
export function parseMediaType(header: string | undefined): MediaType {
  const [first = '', ...parameters] = (header ?? '').slice(0, 1_024).split(';')
  const type = first.trim().toLowerCase()
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([A-Za-z0-9_.:-]{1,40})"?\s*$/i.exec(parameter)?.[1])
    .find((found) => found !== undefined)
  return { type: /^[a-z\d!#$&^_.+-]{1,127}\/[a-z\d!#$&^_.+-]{1,127}$/.test(type) ? type : '', charset }
}

/** Says how a body of this type is shown; without a type, or with the one of plain bytes, its content decides. */
export function bodyKind({ type }: MediaType): BodyKind {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream') return 'unknown'
  return textTypes.test(type) ? 'text' : 'binary'
}
