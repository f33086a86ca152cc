/** One request as a web tool makes it. */
export interface WebRequest {
  /** Absolute, http or https. */
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent with POST. */
  readonly body?: string | undefined
  /** Ends the request with `interrupted`. */
  readonly signal: AbortSignal
  /** How long the whole may take, in milliseconds; never more than the client's own limit, which is the default. */
  readonly timeoutMs?: number | undefined
  /** Asked once, when the head of the final answer is there: the most decoded bytes of its body. 0: it is not read. */
  readonly bodyLimit: (head: ResponseHead) => number
}

/** The start of an answer. */
export interface ResponseHead {
  readonly status: number
  /** Names in lower case, in the order in which they came; one that came often stands often. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** An answer, decompressed; its connection is closed. */
export interface WebResponse extends ResponseHead {
  readonly body: Uint8Array
  /** The body goes on after the limit. */
  readonly isTruncated: boolean
}

/**
 * Makes the requests of web tools. `createGuardedClient` makes one; an application that brings its own decides for
 * itself which addresses may be reached.
 */
export interface WebClient {
  /**
   * Refuses, without any look-up or connection, a URL that can never be reached.
   *
   * @throws ToolError `invalid_url`, `address_denied`, `port_denied`.
   */
  checkUrl(url: string): void
  /**
   * Sends a request and follows redirects within its own scheme, host and port.
   *
   * @throws ToolError with a code of `WebToolCode`; the message names the host at most.
   */
  request(request: WebRequest): Promise<WebResponse>
}
