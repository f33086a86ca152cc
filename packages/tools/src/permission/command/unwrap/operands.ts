import type { ShellWord } from '../shell-word.ts'

/** More commands than this in one are no command of a person; the search falls back to plain text. */
export const maxStarts = 32

/**
 * The commands that a wrapper could start: what follows its options. An option may take the next word or not, so that
 * both readings count; `skips` operands of its own come before the command.
 */
export function operandCommands(words: readonly ShellWord[], skips = 0): (readonly ShellWord[])[] {
  const starts: (readonly ShellWord[])[] = []
  let left = skips
  for (let at = 1; at < words.length && starts.length < maxStarts; at += 1) {
    const text = words[at]?.text
    if (text?.startsWith('-')) continue
    starts.push(words.slice(at))
    if (text !== undefined && /^[A-Za-z_]\w*=/.test(text)) continue
    const afterOption = words[at - 1]?.text?.startsWith('-') === true && words[at - 1]?.text !== '--' && at > 1
    if (afterOption) continue
    if (left === 0 && text !== undefined) break
    if (text !== undefined) left -= 1
  }
  return starts
}

/** The words after an option that names a command, up to where the command ends. */
export function commandAfter(words: readonly ShellWord[], option: RegExp, end?: RegExp): (readonly ShellWord[])[] {
  const commands: (readonly ShellWord[])[] = []
  for (const [index, word] of words.entries()) {
    if (commands.length === maxStarts) break
    if (word.text === undefined || !option.test(word.text)) continue
    const rest = words.slice(index + 1)
    const stop = end === undefined ? -1 : rest.findIndex((each) => each.text !== undefined && end.test(each.text))
    commands.push(stop < 0 ? rest : rest.slice(0, stop))
  }
  return commands
}

/** The known values of options: the rest of the word, or the word that follows. */
export function optionValues(words: readonly ShellWord[], option: RegExp): string[] {
  const values: string[] = []
  for (const [index, word] of words.entries()) {
    const match = word.text === undefined ? null : option.exec(word.text)
    if (match === null || word.text === undefined) continue
    const rest = word.text.slice(match[0].length)
    const next = words[index + 1]?.text
    if (rest !== '') values.push(rest.replace(/^=/, ''))
    else if (next !== undefined) values.push(next)
  }
  return values
}

/** Which long option a word is: programs take a name that is cut short, as long as it is clear. */
export function isLongOption(word: ShellWord | undefined, names: readonly string[]): boolean {
  const name = /^--[a-z][\w-]*/.exec(word?.text ?? '')?.[0]
  return name !== undefined && names.some((each) => `--${each}`.startsWith(name))
}

/** The known values of long options, written in full or cut short. */
export function longOptionValues(words: readonly ShellWord[], names: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (!isLongOption(word, names)) return []
    const text = word.text ?? ''
    const at = text.indexOf('=')
    return at < 0 ? (words[index + 1]?.text ?? []) : text.slice(at + 1)
  })
}
