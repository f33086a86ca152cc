import { defineConfig, type Options } from 'tsup'

/**
 * One build for all doors of a package: splitting keeps one copy of each module, or class brands stop matching.
 *
 * @param doors - the door names, each the file `src/<door>.ts`.
 */
export function doors(...names: string[]): Options | Options[] {
  return defineConfig({
    entry: Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])),
    format: 'esm',
    target: 'node20',
    platform: 'node',
    splitting: true,
    sourcemap: true,
    clean: true,
    dts: false,
    silent: true,
  }) as Options | Options[]
}
