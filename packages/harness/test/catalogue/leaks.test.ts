/** One session over the whole catalogue in which everything goes wrong: what is told of it, anywhere, holds no secret. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { memoryStore } from '@looprig/store/memory'
import { createFixedSearch } from '@looprig/tools/web'
import { describe, expect, it, onTestFinished } from 'vitest'
import { publicEvents, type Session } from '../../src/index.ts'
import type { SessionRecording } from '../../src/testing.ts'
import { readRecords } from '../journal/stores.ts'
import { resultTexts } from '../session/open-session.ts'
import type { Says } from './catalogue-rig.ts'
import { answerAll, CatalogueWorld, calls } from './catalogue-world.ts'
import { liveProcesses } from './live-processes.ts'

/** No text that anybody gets may hold this, but what the model itself sent as arguments. */
const secret = (where: string) => `SENTINEL-${where}`

/** A server that answers so that a call fails, and keeps what it was sent. */
async function hostileServer() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    request.on('data', (part) => seen.push(String(part)))
    request.on('end', () => {
      seen.push(JSON.stringify([request.url, request.headers]))
      if (request.url?.startsWith('/away')) {
        response.writeHead(302, { location: `http://elsewhere.example/${secret('location')}?q=${secret('location')}` })
        response.end(secret('redirect-body'))
      } else if (request.url?.startsWith('/binary')) {
        response.writeHead(200, { 'content-type': 'image/png' })
        response.end(secret('binary-body'))
      } else request.socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  // proved: it listens on an address
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** A workspace whose content, neighbours and links are all secret. */
function hostileWorkspace(world: CatalogueWorld): void {
  world.put('a.txt', `${secret('content')} twice ${secret('content')}\n`)
  world.put('latin1', '')
  writeFileSync(world.path('latin1'), Buffer.from(`${secret('content')} caf\xe9\n`, 'latin1'))
  world.put('bin', `${secret('content')}\0`)
  world.put('.env', secret('denied'))
  world.put('.skills/bad/SKILL.md', `---\nname: other\n---\n${secret('skill')}\n`)
  mkdirSync(join(world.folder, secret('outside')))
  writeFileSync(join(world.folder, secret('outside'), 'x'), secret('content'))
  symlinkSync(join(world.folder, secret('outside')), world.path('esc'))
  symlinkSync('.env', world.path('innocent'))
}

const paths = ['esc/x', '.env', 'innocent', 'missing', 'bin', 'latin1']

/** Each fails, or tells nothing of what it worked on. */
function hostileCalls(host: string, foreign: string, sleep: string): readonly (readonly [string, object])[] {
  const url = (path: string) => `http://${host}/${path}/${secret('path')}?q=${secret('query')}`
  const headers = { 'x-key': secret('header') }
  const post = { method: 'POST', headers, body: secret('body') }
  const content = secret('argument')
  return [
    ...paths.slice(0, 5).map((path) => ['ReadFile', { path }] as const),
    ...['a.txt', ...paths].map((path) => ['WriteFile', { path, content }] as const),
    ...['a.txt', ...paths].map((path) => ['EditFile', { path, old: secret('content'), new: content }] as const),
    ['EditFile', { path: 'a.txt', old: content, new: 'x' }],
    ['Glob', { pattern: '*', root: 'esc' }],
    ['Glob', { pattern: '**' }],
    ['Grep', { pattern: 'S[E]NTINEL-(denied|outside)' }],
    ['Grep', { pattern: 'x', path: 'innocent' }],
    ['Fetch', { url: url('reset'), ...post }],
    ['Fetch', { url: url('away'), ...post }],
    ['Fetch', { url: url('binary'), ...post }],
    ['Fetch', { url: `http://10.0.0.1/${secret('path')}`, ...post }],
    ['Fetch', { url: `http://ann:${secret('password')}@${host}/`, method: 'GET' }],
    ['Fetch', { url: url('x'), method: 'GET', headers: { host: secret('header') } }],
    ['WebSearch', { query: 'fish' }],
    ['Skill', { name: 'bad' }],
    ['Skill', { name: secret('skill') }],
    ['AskUser', { question: 'a', choices: [secret('choice'), secret('choice')] }],
    ['TaskUpdate', { taskId: secret('task'), subject: secret('task') }],
    ['TaskCreate', { subject: secret('task'), description: 'd', blockedBy: ['0190a000-0000-7000-8000-000000000001'] }],
    ['Bash', { command: 'env; cat /proc/self/environ' }],
    ['Bash', { command: 'break' }],
    ['Bash', { command: `sleep ${sleep}`, background: true }],
    ['Bash', { command: 'true', workdir: 'esc' }],
    ['ProcessOutput', { process_id: foreign, wait: 'any', timeout_ms: 1 }],
    ['ProcessInput', { process_id: foreign, data: secret('typed') }],
    ['ProcessStop', { process_id: foreign, mode: 'kill' }],
    ...[
      'ReadFile',
      'WriteFile',
      'EditFile',
      'Glob',
      'Grep',
      'Bash',
      'ProcessOutput',
      'ProcessInput',
      'ProcessStop',
    ].map((name) => [name, { path: secret('argument'), command: 1, odd: secret('argument') }] as const),
    ...['Fetch', 'WebSearch', 'TaskCreate', 'TaskGet', 'TaskList', 'AskUser', 'Skill'].map(
      (name) => [name, { url: secret('argument'), subject: 7, odd: secret('argument') }] as const,
    ),
  ]
}

/** How the calls above end, besides those that tell nothing. */
const expectedCodes = [
  ...['address_denied', 'binary_file', 'blocker_not_found', 'invalid_arguments', 'invalid_headers', 'invalid_url'],
  ...['no_match', 'not_found', 'not_utf8', 'outside_workspace', 'read_denied', 'redirect_blocked', 'request_failed'],
  ...['runner_failed', 'search_failed', 'skill_malformed', 'stale_file', 'unsupported_content_type'],
]

/** Steps of some calls each. */
function inSteps(all: readonly (readonly [string, object])[]): readonly Says[] {
  const steps: Says[] = []
  for (let at = 0; at < all.length; at += 8) {
    steps.push(calls(...all.slice(at, at + 8).map(([name, input]) => [name, { ...input }] as const)))
  }
  return [...steps, { text: 'ok' }]
}

/** All that a value says, without the arguments that the model sent. */
function withoutArguments(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutArguments)
  if (typeof value !== 'object' || value === null) return value
  const isCall = 'type' in value && value.type === 'tool_use'
  const kept = Object.entries(value).filter(([name]) => name !== 'argsJson' && !(isCall && name === 'input'))
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutArguments(item)]))
}

/** Runs the session to its end; people approve all that is asked. */
async function played() {
  process.env.LOOPRIG_TEST_KEY = secret('environment')
  onTestFinished(() => {
    delete process.env.LOOPRIG_TEST_KEY
  })
  const world = new CatalogueWorld(memoryStore())
  hostileWorkspace(world)
  const { host, seen } = await hostileServer()
  const sleep = `3${process.pid}.2`
  const owner = await world.open({
    says: [calls(['Bash', { command: `echo ${secret('foreign')}; sleep ${sleep}`, background: true }]), { text: 'ok' }],
    allowed: ['command.execute'],
  })
  await owner.session.submit('Go').result()
  const foreign = String(JSON.parse(resultTexts(owner.session.history())[0] ?? '').process_id)
  const opened = await world.open({
    says: inSteps(hostileCalls(host, foreign, sleep)),
    hosts: [host],
    environment: { LOOPRIG_KEY: secret('environment') },
    search: createFixedSearch(() => {
      throw new Error(secret('provider'))
    }),
    aroundRunner: (runner) => ({
      ...runner,
      runCommand: async (request) => {
        if (request.command === 'break') throw new Error(`${secret('runner')} ${world.folder}`)
        return runner.runCommand(request)
      },
    }),
  })
  const submission = opened.session.submit('Go')
  await answerAll(opened.session, 'approve')
  await submission.result()
  const records = await readRecords(world.store, opened.session.id)
  const pids = liveProcesses(`sleep\0${sleep}`)
  return { ...opened, world, seen, foreign, pids, owner, records: records.map(({ body }) => JSON.parse(body)) }
}

const eventsOf = ({ deliveries }: SessionRecording) =>
  deliveries.map(({ event }) => event).filter(({ type }) => type !== 'ToolInputDelta')

const told = (value: unknown) => JSON.stringify(withoutArguments(value))

/** What a session says to those that decide, watch, and log. */
function auditOf(recording: SessionRecording, session: Session) {
  return { events: eventsOf(recording), gates: session.gates() }
}

describe('a session in which every tool fails', () => {
  it('holds no secret in any result, event, journal record or public event', async () => {
    const { session, recording, records, world, foreign, pids, owner, seen } = await played()
    const codes = recording.events('ToolCallCompleted').map(({ code }) => code)
    const workspace = records.find(({ type }) => type === 'SessionStarted')?.config.workspace as string
    const shown = publicEvents({ workspace })
    const publicOnes = eventsOf(recording).flatMap((event) => shown(event) ?? [])
    const results = resultTexts(session.history())

    for (const [what, text] of Object.entries({
      results: results.join('\n'),
      events: told(auditOf(recording, session)),
      records: told(records),
      public: told(publicOnes),
    })) {
      expect(text.match(/.{0,80}SENTINEL.{0,40}/g), what).toBeNull()
      expect(
        text.split(/[^\w.-]+/).filter((word) => pids.map(String).includes(word)),
        what,
      ).toEqual([])
    }
    expect(results.join('\n')).not.toContain(world.folder)
    expect(told(recording.events('ToolCallStarted'))).not.toContain(world.folder)
    expect(told(publicOnes)).not.toContain(world.folder)

    // that all of it happened
    expect(seen.join('\n')).toMatch(/SENTINEL-body.*SENTINEL-query.*SENTINEL-header/s)
    expect(pids).toHaveLength(2)
    expect(owner.recording.events('ProcessCompleted')).toEqual([])
    expect(results.filter((text) => text.includes(foreign) || text.includes('not_found')).length).toBeGreaterThan(2)
    expect(readFileSync(world.path('a.txt'), 'utf8')).toContain(secret('content'))
    expect(new Set(codes)).toEqual(new Set([undefined, ...expectedCodes]))
  })
})
