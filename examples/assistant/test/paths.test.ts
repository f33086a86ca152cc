import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultDataFolder, hasStore, isInside, makeDataFolder, resolveWorkspace, startFolder } from '../src/paths.ts'
import { UsageError } from '../src/usage.ts'
import { tempFolder } from './temp-folder.ts'

describe('startFolder', () => {
  it('prefers the folder in which npm was called', () => {
    expect(startFolder({ INIT_CWD: '/home/ann/project' }, '/clone')).toBe('/home/ann/project')
  })

  it('takes the current folder without npm', () => {
    expect(startFolder({}, '/clone')).toBe('/clone')
    expect(startFolder({ INIT_CWD: '' }, '/clone')).toBe('/clone')
  })
})

describe('defaultDataFolder', () => {
  it('follows XDG_DATA_HOME on every system', () => {
    expect(defaultDataFolder('linux', { XDG_DATA_HOME: '/x' }, '/home/ann')).toBe('/x/looprig')
    expect(defaultDataFolder('darwin', { XDG_DATA_HOME: '/x' }, '/Users/ann')).toBe('/x/looprig')
    expect(defaultDataFolder('win32', { XDG_DATA_HOME: 'D:\\x' }, 'C:\\Users\\ann')).toBe('D:\\x\\looprig')
  })

  it('ignores an XDG_DATA_HOME that is empty or relative', () => {
    expect(defaultDataFolder('linux', { XDG_DATA_HOME: '' }, '/home/ann')).toBe('/home/ann/.local/share/looprig')
    expect(defaultDataFolder('linux', { XDG_DATA_HOME: 'x' }, '/home/ann')).toBe('/home/ann/.local/share/looprig')
  })

  it('follows the custom of macOS and Windows', () => {
    expect(defaultDataFolder('darwin', {}, '/Users/ann')).toBe('/Users/ann/Library/Application Support/looprig')
    expect(defaultDataFolder('win32', { LOCALAPPDATA: 'C:\\Local' }, 'C:\\Users\\ann')).toBe('C:\\Local\\looprig')
    expect(defaultDataFolder('win32', {}, 'C:\\Users\\ann')).toBe('C:\\Users\\ann\\AppData\\Local\\looprig')
  })
})

describe('resolveWorkspace', () => {
  it('resolves links', async () => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'real'))
    symlinkSync(join(folder, 'real'), join(folder, 'link'))

    expect(await resolveWorkspace(join(folder, 'link'))).toBe(join(folder, 'real'))
  })

  it('refuses what is not there and what is a file', async () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'file'), '')

    await expect(resolveWorkspace(join(folder, 'none'))).rejects.toThrow(/there is no such file or folder$/)
    await expect(resolveWorkspace(join(folder, 'file'))).rejects.toThrow(/not a folder$/)
    await expect(resolveWorkspace(join(folder, 'file'))).rejects.toBeInstanceOf(UsageError)
  })
})

describe('makeDataFolder', () => {
  it.skipIf(process.platform === 'win32')('makes it for its owner alone, with what lies above', async () => {
    const folder = join(tempFolder(), 'share', 'looprig')

    await makeDataFolder(folder)

    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('refuses a file in its place, and below a file', async () => {
    const file = join(tempFolder(), 'file')
    writeFileSync(file, 'kept')

    await expect(makeDataFolder(file)).rejects.toThrow(/data folder .*: not a folder$/)
    await expect(makeDataFolder(join(file, 'x'))).rejects.toThrow(/a part of the path is not a folder$/)
  })
})

describe('hasStore', () => {
  it('sees nothing in a folder that is not there, and makes none', async () => {
    const folder = join(tempFolder(), 'none')

    expect(await hasStore(folder)).toBe(false)
    expect(existsSync(folder)).toBe(false)
  })

  it('tells when the data folder is a file', async () => {
    const file = join(tempFolder(), 'file')
    writeFileSync(file, '')

    await expect(hasStore(file)).rejects.toThrow(/a part of the path is not a folder$/)
  })
})

describe('isInside', () => {
  it('takes the folder, what is in it and names that begin with dots', () => {
    expect(isInside('/ws', '/ws')).toBe(true)
    expect(isInside('/ws', '/ws/a/b')).toBe(true)
    expect(isInside('/ws', '/ws/..a')).toBe(true)
    expect(isInside('/', '/etc/passwd')).toBe(true)
  })

  it('is not deceived by a neighbour with the same beginning', () => {
    expect(isInside('/ws', '/ws-victim/a')).toBe(false)
    expect(isInside('/ws', '/')).toBe(false)
    expect(isInside('/ws/a', '/ws')).toBe(false)
  })
})
