import type { Writable } from 'node:stream'
import { sanitizeLine, sanitizeText } from './sanitize.ts'

/** Where text goes; `isTTY` when a person reads it. */
export type Output = Writable & { readonly isTTY?: boolean | undefined }

/** How a note looks on a terminal with colours. */
export type NoteStyle = 'plain' | 'dim' | 'error'

/** The two outputs of the program: answers on stdout, everything else line by line on stderr. */
export class Screen {
  readonly #stdout: Output
  readonly #stderr: Output
  readonly #color: boolean
  readonly #isSilent: () => boolean
  /** What the unfinished line on stderr is about. */
  #openKey: string | undefined
  #answerAtLineStart = true

  /**
   * @param color - whether notes may have colours, if a person reads them.
   * @param isSilent - asked before each note: when the reader of the answer has left, nobody is told anything.
   */
  constructor(stdout: Output, stderr: Output, color: boolean, isSilent: () => boolean = () => false) {
    this.#stdout = stdout
    this.#stderr = stderr
    this.#isSilent = isSilent
    this.#color = color && stderr.isTTY === true
  }

  /** Adds to the answer. On a terminal it is made harmless, elsewhere it is exact. */
  async answer(text: string): Promise<void> {
    if (text === '') return
    this.#closeLine()
    this.#answerAtLineStart = text.endsWith('\n')
    await writeTo(this.#stdout, this.#stdout.isTTY === true ? sanitizeText(text) : text)
  }

  /** Ends the answer's line, if one is open. */
  async endAnswerLine(): Promise<void> {
    if (!this.#answerAtLineStart) await this.answer('\n')
  }

  /** Writes one line on stderr: the whole text, with line ends made visible. */
  note(text: string, style: NoteStyle = 'plain'): void {
    this.#startLine()
    this.#write(`${this.#styled(sanitizeText(text).replaceAll('\n', '\u240a'), style)}\n`)
  }

  /** Writes an error on stderr. */
  error({ code, message }: { readonly code: string; readonly message: string }): void {
    this.note(`error: ${code}: ${message}`, 'error')
  }

  /** Tells that something began: for a person, on a line that `finish` ends. A log only gets whole lines. */
  begin(key: string, text: string): void {
    if (this.#stderr.isTTY === true) this.#openLine(key, text)
  }

  /** Ends a line, or writes it whole when something came between. */
  finish(key: string, text: string, ending: string): void {
    if (this.#openKey !== key) this.#openLine(key, text)
    this.#write(`${this.#styled(` ${sanitizeLine(ending)}`, 'dim')}\n`)
    this.#openKey = undefined
  }

  #openLine(key: string, text: string): void {
    this.#startLine()
    this.#write(this.#styled(`  ${sanitizeLine(text)} …`, 'dim'))
    this.#openKey = key
  }

  #startLine(): void {
    this.#closeLine()
    // on a terminal both outputs share the line
    if (this.#answerAtLineStart || this.#stdout.isTTY !== true) return
    this.#stdout.write('\n')
    this.#answerAtLineStart = true
  }

  #closeLine(): void {
    if (this.#openKey === undefined) return
    this.#openKey = undefined
    this.#write('\n')
  }

  #styled(text: string, style: NoteStyle): string {
    if (!this.#color || style === 'plain') return text
    return style === 'error' ? `\u001b[31m${text}\u001b[39m` : `\u001b[2m${text}\u001b[22m`
  }

  #write(text: string): void {
    if (this.#stderr.writable && !this.#isSilent()) this.#stderr.write(text)
  }
}

/** Writes and waits until a slow reader has made room; a reader who left is waited for no longer. */
export async function writeTo(output: Output, text: string): Promise<void> {
  if (!output.writable || output.write(text)) return
  await new Promise<void>((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) output.off(event, done)
      resolve()
    }
    for (const event of ['drain', 'close', 'error']) output.once(event, done)
  })
}
