/** What a model can do. Everything is off unless said, so an unknown model is never asked for what it cannot do. */
export interface ModelCapabilities {
  readonly tools?: boolean | undefined
  readonly images?: boolean | undefined
  readonly audio?: boolean | undefined
  /** Files such as PDF. A document of which only text is sent needs no capability. */
  readonly documents?: boolean | undefined
  readonly thinking?: boolean | undefined
  /** How a thinking model is told how much to think: in a word, or in tokens. Some protocols must know. */
  readonly thinkingDialect?: 'adaptive' | 'budget' | undefined
  /** Whether it holds its text to a JSON Schema by itself. */
  readonly structuredOutput?: boolean | undefined
  /** Whether requests carry cache markers, where the protocol has them. */
  readonly promptCaching?: boolean | undefined
}

/** Token limits; absent means unknown. */
export interface ModelLimits {
  readonly windowTokens?: number | undefined
  readonly maxOutputTokens?: number | undefined
}

/** Sampling parameters; absent means the provider's default. */
export interface Sampling {
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | undefined
}

/** What a model costs, per million tokens. */
export interface ModelPrices {
  /** Of input that is neither read from a cache nor written to one. */
  readonly inputPerMillion: number
  readonly outputPerMillion: number
  /** Default: as other input. */
  readonly cacheReadPerMillion?: number | undefined
  /** Default: as other input. */
  readonly cacheCreationPerMillion?: number | undefined
  /** What the prices are in, for example `USD`; never converted. */
  readonly currency: string
}

/** The identity of a model: plain data with no secret in it, safe to print, compare and store. */
export interface Model {
  /** Who serves it: an open label, for example `openai`. */
  readonly provider: string
  /** The wire name, for example `gpt-4.1-mini`. */
  readonly name: string
  readonly capabilities?: ModelCapabilities | undefined
  readonly limits?: ModelLimits | undefined
  readonly sampling?: Sampling | undefined
  /** Needed where a limit is set on the cost of a turn; nothing else reads them. */
  readonly prices?: ModelPrices | undefined
}
