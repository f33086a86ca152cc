import type { Options } from 'tsup'

/** One entry, ES modules, nothing bundled: what is a dependency stays an import. */
export default {
  entry: ['src/index.ts'],
  format: 'esm',
  target: 'node20',
  platform: 'node',
  clean: true,
  dts: false,
  silent: true,
} satisfies Options
