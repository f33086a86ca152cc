import type { ShellWord } from '../shell-word.ts'
import { isLongOption, longOptionValues, optionValues } from './operands.ts'
import { programName, type Runs, type Unwrap } from './runs.ts'

/** What options of a program can do beyond what its name says. */
interface Catalogue {
  /** Options whose value is a command. */
  readonly run?: RegExp
  /** Options that load code, or write a file that their value names. */
  readonly also?: RegExp
  /** Long options of both kinds, which the program also takes cut short. */
  readonly long?: { readonly run: readonly string[]; readonly also: readonly string[] }
}

/**
 * Programs that are often allowed as a family, with the options that let them run anything or write anywhere. No parser
 * knows these; what is missing here is only as safe as the program itself.
 */
const catalogue: ReadonlyMap<string, Catalogue> = new Map<string, Catalogue>([
  [
    'tar',
    {
      run: /^(-[A-Za-z]*[IF]|--ch[a-z-]*=exec)/,
      long: {
        run: ['use-compress-program', 'to-command', 'info-script', 'new-volume-script', 'rsh-command', 'rmt-command'],
        also: ['checkpoint-action'],
      },
    },
  ],
  [
    'make',
    {
      run: /^SHELL/,
      also: /^[A-Za-z_.][\w.]*[:+?!]*=|^-[A-Za-z]*[fCIE]/,
      long: { run: ['eval'], also: ['file', 'makefile', 'directory', 'include-dir'] },
    },
  ],
  [
    'go',
    {
      run: /^--?(exec|toolexec|vettool)(?![\w-])/,
      also: /^--?(o|coverprofile|cpuprofile|memprofile|blockprofile|mutexprofile|trace|outputdir|ldflags|gcflags|asmflags|overlay|modfile|C|test\.\w*(profile|dir|trace))(=|$)/,
    },
  ],
  [
    'npm',
    {
      run: /^-c(?![\w-])/,
      also: /^-C/,
      long: {
        run: ['script-shell', 'call', 'shell', 'editor', 'viewer', 'git'],
        also: ['prefix', 'userconfig', 'globalconfig', 'node-options', 'init-module'],
      },
    },
  ],
  ['rsync', { run: /^(-[A-Za-z]*e|--rsh|--rsync-path)(?![\w-])/ }],
  ['scp', { run: /^(-S|-o\s*\w*Command=)/, also: /^-o/ }],
  ['sftp', { run: /^(-S|-o\s*\w*Command=)/, also: /^-o/ }],
  ['sort', { also: /^-[A-Za-z]*[oT]/, long: { run: ['compress-program'], also: ['output', 'temporary-directory'] } }],
  [
    'curl',
    {
      also: /^(-[A-Za-z#]*[oOKDcT]|--(output|remote-name|config|dump-header|cookie-jar|trace|trace-ascii|upload-file|stderr|libcurl|etag-save|hsts|alt-svc))/,
    },
  ],
  [
    'wget',
    {
      also: /^-[A-Za-z]*[OoaPe]/,
      long: {
        run: ['use-askpass'],
        also: [
          'output-document',
          'output-file',
          'append-output',
          'directory-prefix',
          'config',
          'execute',
          'save-cookies',
        ],
      },
    },
  ],
  ['zip', { run: /^(-TT|--unzip-command)/ }],
  ['find', { also: /^-(delete|fprint|fprintf|fls|fprint0)/ }],
  ['rg', { run: /^--(pre|hostname-bin)(?![\w-])/ }],
  ['cargo', { also: /^(--config|--target-dir|--manifest-path)/ }],
  ['docker', { also: /^(-[A-Za-z]*[vH]|--(volume|mount|privileged|host|config))/ }],
  ['tee', { also: /^[^-]/ }],
  ['dd', { also: /^of=/ }],
  ['man', { run: /^(-P|-H)/, long: { run: ['pager', 'html'], also: [] } }],
])

/** Options that run programs or write files, for programs that rules often allow. */
export const unwrapOptions: Unwrap = (words): Runs | undefined => {
  const name = programName(words)
  const known = name === undefined ? undefined : catalogue.get(name.replace(/^g(make|tar)$/, '$1'))
  if (known === undefined) return undefined
  const end = words.findIndex((word) => name === 'npm' && word.text === '--')
  // What stands behind it is for the script that npm runs.
  const rest = words.slice(1, end < 0 ? undefined : end)
  const run = known.run
  const scripts = run === undefined ? [] : optionValues(rest, run).map((value) => value.replace(/^exec=/, ''))
  const { long } = known
  if (long !== undefined) scripts.push(...longOptionValues(rest, long.run))
  const cut = long !== undefined && rest.some((word) => isLongOption(word, [...long.run, ...long.also]))
  const doubtful = cut || has(rest, run) || has(rest, known.also)
  return { scripts, ...(doubtful ? { doubt: 'an option can run a program or write a file' } : {}) }
}

function has(words: readonly ShellWord[], option: RegExp | undefined): boolean {
  return option !== undefined && words.some((word) => word.text !== undefined && option.test(word.text))
}
