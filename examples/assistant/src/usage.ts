import { LooprigError } from '@looprig/core'

/** What the person asked for cannot be done as asked. Nothing was written; the program ends with exit code 2. */
export class UsageError extends LooprigError {
  override readonly name = 'UsageError'
  readonly code = 'usage'
  /** More lines for the person, below the message. */
  readonly details: readonly string[]

  constructor(message: string, options: ErrorOptions & { readonly details?: readonly string[] } = {}) {
    super(message, options)
    this.details = options.details ?? []
  }
}

/** What `--help` prints. */
export const helpText = `Ask questions about a folder of source code.

Usage:
  npm start -- [options] "QUESTION"     answer one question
  npm start -- [options]                ask line by line; Ctrl-C interrupts, /exit leaves
  npm start -- sessions [options]       list what was asked before

Options:
      --workspace DIR         the folder to read (default: the folder you are in)
  -m, --model PROVIDER/NAME   for example openai/gpt-4.1-mini or ollama/qwen3
      --base-url URL          an OpenAI-compatible server; needs no key
      --script FILE           play a JSON array of responses instead of a model
  -c, --continue              go on with the latest session of this workspace
      --resume ID             go on with one session
      --output-format FORMAT  text (default), json, or stream-json
  -p, --print                 no progress and no questions: what needs approval is denied
      --data-dir DIR          where sessions are kept (default: your data folder)
  -h, --help                  print this help
  -v, --version               print the version

Without --model, OPENAI_API_KEY (and OPENAI_BASE_URL) choose OpenAI, then --base-url a server
of your own, else an offline guide answers, which is not a language model. Models are reached
through HTTPS_PROXY or HTTP_PROXY, but for the hosts of NO_PROXY.

Exit codes: 0 answered, 1 failed, 2 usage (nothing was written), 130 interrupted.
`
