/** A service that speaks the OpenAI chat protocol. */
export interface Provider {
  readonly baseUrl: string
  /** The environment variable of its key; absent when it takes none. */
  readonly keyVariable?: string
  /** The environment variable that moves it elsewhere. */
  readonly baseUrlVariable?: string
}

/** The services that `--model PROVIDER/NAME` knows. Any other is reached with `--base-url`. */
export const providers: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  [
    'openai',
    { baseUrl: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY', baseUrlVariable: 'OPENAI_BASE_URL' },
  ],
  ['deepseek', { baseUrl: 'https://api.deepseek.com/v1', keyVariable: 'DEEPSEEK_API_KEY' }],
  ['groq', { baseUrl: 'https://api.groq.com/openai/v1', keyVariable: 'GROQ_API_KEY' }],
  ['mistral', { baseUrl: 'https://api.mistral.ai/v1', keyVariable: 'MISTRAL_API_KEY' }],
  ['openrouter', { baseUrl: 'https://openrouter.ai/api/v1', keyVariable: 'OPENROUTER_API_KEY' }],
  ['together', { baseUrl: 'https://api.together.xyz/v1', keyVariable: 'TOGETHER_API_KEY' }],
  ['xai', { baseUrl: 'https://api.x.ai/v1', keyVariable: 'XAI_API_KEY' }],
  ['lmstudio', { baseUrl: 'http://127.0.0.1:1234/v1' }],
  ['ollama', { baseUrl: 'http://127.0.0.1:11434/v1' }],
])

/** The model of a person who has a key and named none. */
export const defaultOpenAIModel = 'gpt-4.1-mini'
