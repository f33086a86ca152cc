import { type ShellWord, unknownWord } from '../shell-word.ts'
import { commandAfter, maxStarts, operandCommands, optionValues } from './operands.ts'
import { programName, type Runs, type Unwrap } from './runs.ts'

/** Programs that run what their operands say, and how many operands of their own come first. */
const operandsBefore: ReadonlyMap<string, number> = new Map([
  ['env', 0],
  ['sudo', 0],
  ['doas', 0],
  ['nice', 0],
  ['nohup', 0],
  ['setsid', 0],
  ['stdbuf', 0],
  ['ionice', 0],
  ['command', 0],
  ['builtin', 0],
  ['exec', 0],
  ['time', 0],
  ['strace', 0],
  ['ltrace', 0],
  ['valgrind', 0],
  ['unshare', 0],
  ['nsenter', 0],
  ['setarch', 0],
  ['linux32', 0],
  ['linux64', 0],
  ['busybox', 0],
  ['toybox', 0],
  ['dbus-run-session', 0],
  ['xvfb-run', 0],
  ['faketime', 1],
  ['timeout', 1],
  ['chrt', 1],
  ['taskset', 1],
  ['chroot', 1],
  ['flock', 1],
  ['setpriv', 0],
  ['runuser', 0],
  ['prlimit', 0],
  ['systemd-run', 0],
  ['firejail', 0],
  ['bwrap', 0],
  ['proot', 0],
  ['fakeroot', 0],
  ['torsocks', 0],
  ['proxychains', 0],
  ['caffeinate', 0],
  ['arch', 0],
  ['choom', 0],
  ['coproc', 0],
  ['npx', 0],
  ['bunx', 0],
  ['pnpx', 0],
  ['uvx', 0],
  ['pipx', 1],
  ['dotenv', 0],
  ['direnv', 2],
  ['rlwrap', 0],
  ['script', 0],
  ['expect', 0],
  ['unbuffer', 0],
  ['gdb', 0],
  ['watch', 0],
  ['entr', 0],
  ['parallel', 0],
  ['su', 1],
  ['ssh', 1],
  ['mosh', 1],
  ['hyperfine', 0],
  ['perf', 1],
  ['catchsegv', 0],
  ['chpst', 0],
  ['softlimit', 0],
  ['ld.so', 0],
  ['at', 0],
  ['batch', 0],
  ['start-stop-daemon', 0],
  ['run-parts', 0],
])

/** Those of them that hand their operands to a shell as one text. */
const joins = new Set([
  'watch',
  'parallel',
  'ssh',
  'mosh',
  'hyperfine',
  'entr',
  'flock',
  'script',
  'su',
  'npx',
  'runuser',
])

/** Programs that run another one only by some of their commands. */
const subcommands: ReadonlyMap<string, RegExp> = new Map([
  ['npm', /^(exec|x)$/],
  ['pnpm', /^(exec|dlx)$/],
  ['yarn', /^(exec|dlx)$/],
  ['bun', /^x$/],
  ['docker', /^(run|exec)$/],
  ['podman', /^(run|exec)$/],
  ['kubectl', /^(run|exec)$/],
  ['bundle', /^exec$/],
  ['poetry', /^run$/],
  ['pipenv', /^run$/],
  ['uv', /^(run|x|tool)$/],
  ['hatch', /^run$/],
  ['pdm', /^run$/],
  ['conda', /^run$/],
  ['mise', /^(exec|x)$/],
  ['asdf', /^exec$/],
  ['ip', /^netns$/],
  ['vagrant', /^ssh$/],
  ['nix', /^(run|shell|develop)$/],
])

const doubt = 'a wrapper runs another command'

/** A program that runs another one. */
export const unwrapWrapper: Unwrap = (words, found): Runs | undefined => {
  const name = programName(words)
  // It only says what the name means.
  if (words[0]?.text === 'command' && /^-[pvV]*[vV]/.test(words[1]?.text ?? '')) return { doubt }
  if (name === 'xargs') {
    const operands = operandCommands(words).map((command) => [...command, unknownWord])
    // What it reads may be the command itself, or a text for a shell.
    const open = operands.length === 0 || operands.some(([head]) => /\{\}|%|^(\w*sh|env)$/.test(head?.text ?? ''))
    return { commands: operands, anything: found.piped && open, doubt }
  }
  if (name === 'find' || name === 'fd' || name === 'fdfind') return unwrapFind(words)
  const subcommand = name === undefined ? undefined : subcommands.get(name)
  if (subcommand !== undefined) return unwrapSubcommand(words, subcommand)
  const skips = name === undefined ? undefined : operandsBefore.get(name)
  if (name === undefined || skips === undefined) return undefined
  const commands = operandCommands(words, skips)
  const scripts = optionValues(words, /^(-[A-Za-z]*[cS]|--(split-string|command|session-command|call))(?![\w-])/)
  if (joins.has(name)) {
    for (const command of commands) scripts.push(command.flatMap((word) => word.text ?? []).join(' '))
    scripts.push(...found.inputs)
  }
  if (name === 'env') scripts.push(...optionValues(words, /^-[A-Za-z]*S/))
  if (name === 'ssh') {
    const options = optionValues(words, /^-o/).flatMap((value) => /^\s*\w*Command[\s=]+(.*)$/is.exec(value)?.[1] ?? [])
    scripts.push(...options)
  }
  const text = joins.has(name) || name === 'at' || name === 'batch'
  return { commands, scripts, anything: text && found.piped, doubt }
}

function unwrapFind(words: readonly ShellWord[]): Runs | undefined {
  const commands = commandAfter(words, /^(-(exec|execdir|ok|okdir)|-x|-X|--exec|--exec-batch)$/, /^[;+]$/)
  if (commands.length > 0) return { commands: commands.map((command) => [...command, unknownWord]), doubt }
  return undefined
}

/** The command may stand anywhere behind the word that says to run it: names of images and other options come first. */
function unwrapSubcommand(words: readonly ShellWord[], subcommand: RegExp): Runs | undefined {
  const at = words.findIndex((word, index) => index > 0 && subcommand.test(word.text ?? ''))
  const earlier = words.slice(1, at).filter((word) => !word.text?.startsWith('-'))
  if (at < 0 || earlier.length > 1) return undefined
  const rest = words.slice(at + 1)
  const commands = rest.slice(0, maxStarts).map((_, index) => rest.slice(index))
  const scripts = optionValues(rest, /^(-c|--call|--command|--run)(?![\w-])/)
  return { commands, scripts, doubt }
}
