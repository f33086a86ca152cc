import path from 'node:path'
import type { AccessSource, ReadGuard } from '@looprig/tools'
import { createReadGuard } from '@looprig/tools/workspace'
import { isInside, storeFile } from './paths.ts'

/** Files that hold secrets: never read, listed or named, wherever they lie. */
export const secretFiles: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '!**/.env.example',
  '**/.ssh/**',
  '**/.aws/**',
  '**/.gnupg/**',
  '**/.netrc',
  '**/.npmrc',
  '**/.git-credentials',
  '**/id_{rsa,dsa,ecdsa,ed25519}',
  '**/*.{pem,key,p12,pfx}',
]

/** What one read returns at most. */
const maxReadBytes = 256 * 1024

/** Reading inside the workspace is allowed and outside denied. Kinds of access without a source are denied too. */
export function workspaceReadAccess(root: string): AccessSource {
  return {
    kinds: ['filesystem.read'],
    accessFor: ({ scope }) => (path.isAbsolute(scope) && isInside(root, scope) ? 'allow' : 'deny'),
  }
}

/** Keeps secrets from the model, and the sessions of other workspaces when the data folder lies in this one. */
export function assistantReadGuard(dataFolder: string): ReadGuard {
  const secrets = createReadGuard({ deny: secretFiles, maxReadBytes })
  const store = storeFile(dataFolder)
  const locks = path.join(dataFolder, 'locks')
  return {
    maxReadBytes,
    deniedRead: (file) => file.startsWith(store) || isInside(locks, file) || secrets.deniedRead(file),
  }
}
