import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installEnvironment, installStamp, isInstalled } from '../../bootstrap/install.mjs'
import { tempTree } from '../temp-tree.ts'

function installedClone(): string {
  const clone = tempTree({
    'package.json': '{ "devDependencies": { "tsup": "1.0.0" } }',
    'pnpm-lock.yaml': 'lock',
    'pnpm-workspace.yaml': 'packages',
    'node_modules/tsup/package.json': '{}',
    'packages/core/package.json': '{ "name": "core", "dependencies": { "zod": "4.0.0" } }',
    'packages/core/node_modules/zod/package.json': '{}',
  })
  mkdirSync(join(clone, '.looprig'))
  writeFileSync(join(clone, '.looprig/install-stamp'), installStamp(clone))
  return clone
}

describe('isInstalled', () => {
  it('accepts a complete install of this lockfile', () => {
    expect(isInstalled(installedClone())).toBe(true)
  })

  it.each(['pnpm-lock.yaml', 'pnpm-workspace.yaml'])('notices a change of %s', (path) => {
    const clone = installedClone()

    writeFileSync(join(clone, path), 'changed')

    expect(isInstalled(clone)).toBe(false)
  })

  it.each(['.looprig/install-stamp', 'node_modules', 'packages/core/node_modules/zod'])(
    'notices that %s is gone',
    (path) => {
      const clone = installedClone()

      rmSync(join(clone, path), { recursive: true })

      expect(isInstalled(clone)).toBe(false)
    },
  )
})

describe('installEnvironment', () => {
  it('drops settings that change what is installed and keeps those that reach a registry', () => {
    const env = installEnvironment(
      {
        PATH: '/bin',
        NODE_ENV: 'production',
        npm_config_omit: 'dev',
        npm_lifecycle_event: 'start',
        npm_config_registry: 'https://registry.example/',
        'npm_config_//registry.example/:_authToken': 'token',
        npm_config_https_proxy: 'http://proxy.example',
      },
      tempTree(),
    )

    expect(env).toMatchObject({ PATH: '/bin', npm_config_registry: 'https://registry.example/' })
    expect(env).toHaveProperty(['npm_config_//registry.example/:_authToken'])
    expect(env).toHaveProperty('npm_config_https_proxy')
    expect(env).not.toHaveProperty('NODE_ENV')
    expect(env).not.toHaveProperty('npm_config_omit')
    expect(env).not.toHaveProperty('npm_lifecycle_event')
  })

  it('undoes a silent loglevel, so that a failure can be read', () => {
    expect(installEnvironment({ npm_config_loglevel: 'silent' }, tempTree())).toMatchObject({
      npm_config_loglevel: 'warn',
    })
  })

  it('keeps a debugger out of the children', () => {
    const env = installEnvironment({ NODE_OPTIONS: '--inspect-brk=0 --max-old-space-size=2048' }, tempTree())

    expect(env.NODE_OPTIONS?.trim()).toBe('--max-old-space-size=2048')
  })
})
