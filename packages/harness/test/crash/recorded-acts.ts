/** What processes did, in files of the crash folder: they stay when their process is killed. */
import { hash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canonicalJson, type Message } from '@looprig/core'

/** Notes that a call has its effect. */
export function recordEffect(folder: string, executionId: string): void {
  appendFileSync(join(folder, 'effects'), `${executionId}\n`)
}

/** How often each call had its effect, over all processes. */
export function readEffects(folder: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const line of readLines(folder, 'effects')) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

/** Notes what a model is shown, before it answers. */
export function recordRequest(folder: string, { messages }: { readonly messages: readonly Message[] }): void {
  appendFileSync(join(folder, 'requests'), `${digestOf(messages)}\n`)
}

/** The transcripts that models were shown, over all processes, as `digestOf` tells them. */
export function readRequests(folder: string): ReadonlySet<string> {
  return new Set(readLines(folder, 'requests'))
}

/** A name for a transcript. */
export function digestOf(messages: readonly Message[]): string {
  // keys stand in another order where a message was read from a journal
  return hash('sha256', canonicalJson(JSON.parse(JSON.stringify(messages))), 'hex')
}

function readLines(folder: string, name: string): readonly string[] {
  const file = join(folder, name)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}
