/**
 * What a Gemini body is, by the request types of `@google/genai`. That SDK takes the settings in one object and writes
 * them where the wire has them; `geminiParameters` turns a body of ours round. Its words are enums, whose members a
 * literal cannot be, so they stand here as the texts that they are.
 */
import type { Content, GenerateContentConfig } from '@google/genai'

/** The type with every enum as its texts. */
type Wire<T> = T extends string ? `${T}` : T extends object ? { [Key in keyof T]: Wire<T[Key]> } : T

interface GeminiParameters {
  model: string
  contents: Wire<Content>[]
  /** What a schema may say is JSON Schema, of which the SDK knows nothing. */
  config: Wire<Omit<GenerateContentConfig, 'abortSignal' | 'httpOptions' | 'responseJsonSchema'>> & {
    responseJsonSchema?: unknown
  }
}

export type Gemini = { stream: GeminiParameters; whole: GeminiParameters }
