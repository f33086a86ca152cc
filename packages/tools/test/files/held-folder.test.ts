import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { containedFolder } from '../../src/files/contained-folder.ts'
import { holdFolder } from '../../src/files/held-folder.ts'
import { openRegularFile } from '../../src/files/open-regular-file.ts'
import { createFile, replaceFile } from '../../src/files/publish-file.ts'
import { readSmallFile } from '../../src/files/read-small-file.ts'
import { canMakePipes, makePipe } from '../support/special-file.ts'
import { tempWorkspace } from '../support/temp-workspace.ts'

const display = 'dir/a.txt'
const isLinux = process.platform === 'linux'

/** A workspace beside a folder that must not be touched. */
async function besideSecret() {
  const top = await tempWorkspace({ 'ws/dir/a.txt': 'approved\n', 'secret/a.txt': 'SENTINEL\n' })
  return { root: join(top, 'ws'), secret: join(top, 'secret'), moved: join(top, 'moved') }
}

describe('holdFolder', () => {
  it.each(['dir', 'dir/below'])('refuses a path of which %s became a link', async (swapped) => {
    const { root, secret } = await besideSecret()
    await mkdir(join(secret, 'below'))
    await rm(join(root, swapped), { recursive: true, force: true })
    await symlink(swapped === 'dir' ? secret : join(secret, 'below'), join(root, swapped))

    const held = holdFolder(root, join(root, 'dir/below'), { display, create: true })

    await expect(held).rejects.toMatchObject({ code: 'resolution_changed' })
    expect((await readdir(secret)).sort()).toEqual(['a.txt', 'below'])
  })

  // descriptors keep a folder only where the system has paths for them
  it.skipIf(!isLinux)('stays in the folder that it found when its name is swapped afterwards', async () => {
    const { root, secret, moved } = await besideSecret()
    const folder = await holdFolder(root, join(root, 'dir'), { display })
    await rename(join(root, 'dir'), moved)
    await symlink(secret, join(root, 'dir'))

    await createFile({ folder, name: 'b.txt', display, bytes: Buffer.from('b') })
    const isInPlace = await folder.isInPlace()
    await folder.close()

    expect(isInPlace).toBe(false)
    expect(await readdir(secret)).toEqual(['a.txt'])
    expect((await readdir(moved)).sort()).toEqual(['a.txt', 'b.txt'])
  })

  it('makes the folders that are missing, and takes them away again when nothing came of it', async () => {
    const { root } = await besideSecret()
    const folder = await holdFolder(root, join(root, 'dir/x/y/z'), { display, create: true })
    await writeFile(join(root, 'dir/x/other'), '')
    await folder.discard()
    await folder.close()

    expect(await readdir(join(root, 'dir/x'))).toEqual(['other'])
  })

  it.each([
    ['missing', 'not_found'],
    ['dir/a.txt', 'not_a_folder'],
    ['..', 'resolution_changed'],
  ])('answers %s with %s', async (path, code) => {
    const { root } = await besideSecret()

    await expect(holdFolder(root, join(root, path), { display })).rejects.toMatchObject({ code })
  })

  it('names no entry but its own', async () => {
    const { root } = await besideSecret()
    const folder = await holdFolder(root, join(root, 'dir'), { display })

    for (const name of ['', '.', '..', '../x', 'a/b']) expect(() => folder.at(name)).toThrow('no such file')
    await folder.close()
  })

  it('leaves no descriptor open', async ({ skip }) => {
    if (!isLinux) skip('descriptors are listed on Linux only')
    const { root } = await besideSecret()
    const before = await readdir('/proc/self/fd')
    for (let round = 0; round < 50; round += 1) {
      const folder = await holdFolder(root, join(root, `dir/${round}/x`), { display, create: true })
      await folder.close()
      await holdFolder(root, join(root, 'dir/a.txt/x'), { display }).catch(() => undefined)
      const { handle } = await openRegularFile(root, join(root, 'dir/a.txt'), display)
      await handle.close()
      await openRegularFile(root, join(root, 'dir'), display).catch(() => undefined)
    }

    expect((await readdir('/proc/self/fd')).length).toBeLessThan(before.length + 10)
  })
})

/** Swaps the folder `dir` for a link and back, again and again, until it is told to stop. */
function swapFolder(root: string, secret: string, moved: string): () => Promise<void> {
  let isDone = false
  const swapping = (async () => {
    while (!isDone) {
      await rename(join(root, 'dir'), moved)
      await symlink(secret, join(root, 'dir'))
      await rm(join(root, 'dir'))
      await rename(moved, join(root, 'dir'))
    }
  })()
  return () => {
    isDone = true
    return swapping
  }
}

describe('openRegularFile', () => {
  it('reads nothing through a parent that is swapped back and forth', async () => {
    const { root, secret, moved } = await besideSecret()
    const stopSwapping = swapFolder(root, secret, moved)
    const read: string[] = []
    for (let round = 0; round < 300; round += 1) {
      const text = await readSmallFile(root, join(root, 'dir/a.txt'), { display, maxBytes: 100 }).then(
        ({ bytes }) => bytes.toString(),
        ({ code }) => code as string,
      )
      read.push(text)
    }
    await stopSwapping()

    expect(read).not.toContain('SENTINEL\n')
    // the file was there to be read: it is refused only while its folder is another one
    const { bytes } = await readSmallFile(root, join(root, 'dir/a.txt'), { display, maxBytes: 100 })
    expect(bytes.toString()).toBe('approved\n')
  })

  it('writes nothing through a parent that is swapped back and forth', async () => {
    const { root, secret, moved } = await besideSecret()
    const stopSwapping = swapFolder(root, secret, moved)
    for (let round = 0; round < 200; round += 1) {
      const folder = await holdFolder(root, join(root, 'dir'), { display }).catch(() => undefined)
      if (folder === undefined) continue
      const bytes = Buffer.from(`${round}`)
      await createFile({ folder, name: `${round}.txt`, display, bytes }).catch(() => undefined)
      await folder.close()
    }
    await stopSwapping()

    expect(await readdir(secret)).toEqual(['a.txt'])
  })

  it('answers a pipe without waiting for its other end', async ({ skip }) => {
    if (!canMakePipes) skip('made with mkfifo')
    const { root } = await besideSecret()
    makePipe(join(root, 'fifo'))

    await expect(openRegularFile(root, join(root, 'fifo'), 'fifo')).rejects.toMatchObject({ code: 'not_a_file' })
  })

  it('answers a device without opening what it is', async ({ skip }) => {
    if (!isLinux) skip('devices lie elsewhere')

    await expect(openRegularFile('/', '/dev/zero', 'zero')).rejects.toMatchObject({ code: 'not_a_file' })
  })
})

describe('readSmallFile', () => {
  it('reads a file whole, with what is known of it, or says that it is too large', async () => {
    const { root } = await besideSecret()
    const path = join(root, 'dir/a.txt')

    const { bytes, stat } = await readSmallFile(root, path, { display, maxBytes: 9 })

    expect([bytes.toString(), stat.nlink]).toEqual(['approved\n', 1])
    await expect(readSmallFile(root, path, { display, maxBytes: 8 })).rejects.toMatchObject({ code: 'too_large' })
  })

  it('reads a file that says that it is empty', async ({ skip }) => {
    if (!isLinux) skip('such files are below /proc')

    const { bytes } = await readSmallFile('/', '/proc/version', { display, maxBytes: 10_000 })

    expect(bytes.toString()).toContain('Linux')
  })
})

describe('publishing a file', () => {
  it('creates a file whole, and not where one is', async () => {
    const { root } = await besideSecret()
    const folder = await holdFolder(root, join(root, 'dir'), { display })
    const publication = { folder, name: 'b.txt', display, bytes: Buffer.from('new') }

    expect(await createFile(publication)).toEqual({ isDurable: true })
    await expect(createFile(publication)).rejects.toMatchObject({ code: 'file_conflict' })

    expect((await readdir(join(root, 'dir'))).sort()).toEqual(['a.txt', 'b.txt'])
    await folder.close()
  })

  it('replaces nothing when the last check fails', async () => {
    const { root } = await besideSecret()
    const folder = await holdFolder(root, join(root, 'dir'), { display })
    const owner = { mode: 0o644, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }

    const replaced = replaceFile({ folder, name: 'a.txt', display, bytes: Buffer.from('new') }, owner, () => {
      throw new Error('changed')
    })

    await expect(replaced).rejects.toMatchObject({ code: 'unwritable' })
    expect(await readdir(join(root, 'dir'))).toEqual(['a.txt'])
    await folder.close()
  })
})

describe('containedFolder', () => {
  it.each([
    ['.', ''],
    ['dir', 'dir'],
    ['/dir/../dir/', 'dir'],
    ['link', 'dir'],
  ])('resolves %s', async (input, expected) => {
    const { root } = await besideSecret()
    await symlink('dir', join(root, 'link'))

    expect(await containedFolder(root, input)).toBe(join(root, expected))
  })

  it.each([
    ['..', 'outside_workspace'],
    ['esc', 'outside_workspace'],
    ['missing', 'not_found'],
    ['dir/a.txt', 'not_a_folder'],
  ])('answers %s with %s', async (input, code) => {
    const { root } = await besideSecret()
    await symlink('/etc', join(root, 'esc'))

    await expect(containedFolder(root, input)).rejects.toMatchObject({ code })
  })
})
