import type { ShellWord } from '../shell-word.ts'
import { optionValues } from './operands.ts'
import { programName, type Runs, type Unwrap } from './runs.ts'

/** What options of a program can do beyond what its name says. */
interface Catalogue {
  /** Options whose value is a command. */
  readonly run?: RegExp
  /** Options that load code, or write a file that their value names. */
  readonly also?: RegExp
}

/**
 * Programs that are often allowed as a family, with the options that let them run anything or write anywhere. No parser
 * knows these; what is missing here is only as safe as the program itself.
 */
const catalogue: ReadonlyMap<string, Catalogue> = new Map([
  [
    'tar',
    {
      run: /^(-[A-Za-z]*[IF]|--(use-compress-program|to-command|info-script|new-volume-script|rsh-command|rmt-command)|--checkpoint-action=exec)/,
      also: /^--checkpoint-action/,
    },
  ],
  [
    'make',
    {
      run: /^(SHELL|--eval)/,
      also: /^[A-Za-z_.][\w.]*[:+?!]*=|^(-[A-Za-z]*[fCIE]|--(file|makefile|directory|include-dir|eval))/,
    },
  ],
  [
    'go',
    {
      run: /^--?(exec|toolexec|vettool)/,
      also: /^--?(o|coverprofile|cpuprofile|memprofile|blockprofile|mutexprofile|trace|outputdir|ldflags|gcflags|asmflags|overlay|modfile|C)(=|$)/,
    },
  ],
  [
    'npm',
    {
      run: /^(--script-shell|--call|-c)(?![\w-])/,
      also: /^(--(prefix|userconfig|globalconfig|node-options|git|shell|editor|viewer|cache|init-module|workspace)|-C)(=|$)/,
    },
  ],
  ['rsync', { run: /^(-[A-Za-z]*e|--rsh|--rsync-path)(?![\w-])/ }],
  ['scp', { run: /^(-S|-o\s*\w*Command=)/, also: /^-o/ }],
  ['sftp', { run: /^(-S|-o\s*\w*Command=)/, also: /^-o/ }],
  ['sort', { run: /^--compress-program/, also: /^(-[A-Za-z]*[oT]|--output|--temporary-directory)/ }],
  [
    'curl',
    {
      also: /^(-[A-Za-z#]*[oOKDcT]|--(output|remote-name|config|dump-header|cookie-jar|trace|trace-ascii|upload-file|stderr|libcurl|etag-save|hsts|alt-svc))/,
    },
  ],
  [
    'wget',
    {
      run: /^--use-askpass/,
      also: /^(-[A-Za-z]*[OoaP]|--(output|append|directory-prefix|config|execute|save-cookies|warc))/,
    },
  ],
  ['zip', { run: /^(-TT|--unzip-command)/ }],
  ['find', { also: /^-(delete|fprint|fprintf|fls|fprint0)/ }],
  ['rg', { run: /^--(pre|hostname-bin)(?![\w-])/ }],
  ['cargo', { also: /^(--config|--target-dir|--manifest-path)/ }],
  ['docker', { also: /^(-[A-Za-z]*[vH]|--(volume|mount|privileged|host|config))/ }],
  ['tee', { also: /^[^-]/ }],
  ['dd', { also: /^of=/ }],
  ['xz', {}],
  ['ls', {}],
])

/** Options that run programs or write files, for programs that rules often allow. */
export const unwrapOptions: Unwrap = (words): Runs | undefined => {
  const name = programName(words)
  const known = name === undefined ? undefined : catalogue.get(name.replace(/^g(make|tar)$/, '$1'))
  if (known === undefined) return undefined
  const rest = words.slice(1)
  const run = known.run
  const scripts = run === undefined ? [] : optionValues(rest, run).map((value) => value.replace(/^exec=/, ''))
  const doubtful = has(rest, run) || has(rest, known.also)
  return { scripts, ...(doubtful ? { doubt: 'an option can run a program or write a file' } : {}) }
}

function has(words: readonly ShellWord[], option: RegExp | undefined): boolean {
  return option !== undefined && words.some((word) => word.text !== undefined && option.test(word.text))
}
