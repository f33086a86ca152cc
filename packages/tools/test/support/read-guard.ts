import { createReadGuard } from '@looprig/tools/workspace'

/** A guard that denies what an assistant would. */
export const readGuard = createReadGuard({
  deny: ['**/.env', '**/.env.*', '!**/.env.example', '**/.ssh/**', '**/id_{rsa,dsa,ecdsa,ed25519}', '**/*.{pem,key}'],
  maxReadBytes: 262_144,
})
