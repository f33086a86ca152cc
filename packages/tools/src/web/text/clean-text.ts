/** Terminal sequences, as a whole: an escape and what it starts. */
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)?|[ -~]?)/g

/** Control characters without tab and line feed. */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/**
 * What changes how a text reads without being seen: embeddings, overrides and isolates of direction, characters without
 * width (the joiners stay: scripts and emoji need them), tags, and annotations.
 */
const invisible =
  /[\u200b\u200e\u200f\u061c\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/**
 * Makes text from outside harmless to show: well formed, line ends as line feeds, nothing that drives a terminal, turns
 * the direction of reading, or hides. Letters, tabs and line feeds stay as they are.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(sequences, '')
    .replace(controls, '')
    .replace(invisible, '')
}

/** The same in one line, without white space around it and in runs. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}
