import path from 'node:path'
import { SessionFaultedError } from '@looprig/harness'
import type { RunCommand } from './arguments.ts'
import { ask } from './ask.ts'
import { type ConnectedModel, connectModel } from './choose-model.ts'
import { converse } from './converse.ts'
import { type ExitCode, exitCodeOf, leaveCodes } from './exit-code.ts'
import { type LineSource, pipedLines, terminalLines } from './lines.ts'
import { type OpenedSession, openSession } from './open-session.ts'
import { jsonRenderer } from './render/json.ts'
import type { Renderer } from './render/renderer.ts'
import type { Screen } from './render/screen.ts'
import { streamJsonRenderer } from './render/stream-json.ts'
import { TextRenderer } from './render/text.ts'
import { resolveFolders, type Surroundings } from './surroundings.ts'

/** How long the end of a run may take. */
const closeTimeoutMs = 5_000

/**
 * Opens a session, asks one question or many, and closes it.
 *
 * @throws UsageError when nothing was written.
 */
export async function run(command: RunCommand, surroundings: Surroundings, screen: Screen): Promise<ExitCode> {
  const { env, stdin, stop, extension } = surroundings
  const folders = resolveFolders(command, surroundings)
  const script = command.script === undefined ? undefined : path.resolve(folders.startFolder, command.script)
  const model = await connectModel({ ...command, script }, env)
  // a pipe is no person: its lines may ask, never approve
  const attended = !command.print && stdin.isTTY === true
  const opened = await openSession({ ...folders, session: command.session, model, attended, extension })
  const { session } = opened
  const leave = () => void session.shutdown().catch(() => undefined)
  stop.attach(session)
  stop.signal.addEventListener('abort', leave, { once: true })
  if (stop.signal.aborted) leave()
  try {
    introduce(command, screen, opened, model, attended)
    return await answer(command, surroundings, screen, opened, attended)
  } catch (error) {
    if (error instanceof SessionFaultedError) tellHowToResume(session.id, command, screen)
    throw error
  } finally {
    stop.attach(undefined)
    stop.signal.removeEventListener('abort', leave)
    await within(closeTimeoutMs, close(opened))
  }
}

async function answer(
  command: RunCommand,
  surroundings: Surroundings,
  screen: Screen,
  { session }: OpenedSession,
  attended: boolean,
): Promise<ExitCode> {
  const { stop, stdin } = surroundings
  const renderer = rendererFor(command, surroundings, screen, session.id)
  const hint = () => tellHowToResume(session.id, command, screen)
  if (command.question === undefined) {
    const lines = stdin.isTTY === true ? openTerminal(surroundings) : pipedLines(stdin)
    const asked = await converse({ session, screen, renderer, lines, stop: stop.signal })
    if (asked > 0) hint()
    return stop.reason === undefined ? 0 : leaveCodes[stop.reason]
  }
  const openLines = attended ? () => openTerminal(surroundings) : undefined
  const { status } = await ask(command.question, { session, screen, renderer, openLines })
  if (status !== 'rejected') hint()
  const isLate = stop.reason === 'interrupted' && status === 'done'
  return stop.reason === undefined || isLate ? exitCodeOf(status) : leaveCodes[stop.reason]
}

/** Tells a person what they talk to. */
function introduce(
  { question, outputFormat, print }: RunCommand,
  screen: Screen,
  { resumed, workspace }: OpenedSession,
  { model, notice }: ConnectedModel,
  attended: boolean,
): void {
  if (notice !== undefined) screen.note(notice)
  if (outputFormat !== 'text' || print) return
  if (resumed !== undefined) screen.note(`going on with: ${resumed.title} (${resumed.status})`)
  if (attended && question === undefined) {
    screen.note(`asking ${model.provider}/${model.name} about ${workspace}; /help tells more`)
  }
}

function openTerminal({ stdin, stderr, stop }: Surroundings): LineSource {
  return terminalLines(stdin, stderr, () => stop.interrupt())
}

function rendererFor(
  { outputFormat, print }: RunCommand,
  { stdout }: Surroundings,
  screen: Screen,
  sessionId: OpenedSession['session']['id'],
): Renderer {
  switch (outputFormat) {
    case 'text':
      return new TextRenderer(screen, { progress: !print })
    case 'json':
      return jsonRenderer(stdout, screen, sessionId)
    case 'stream-json':
      return streamJsonRenderer(stdout, screen)
  }
}

/** The whole command, quoted for a shell where that is needed. The other formats tell the session's id by themselves. */
function tellHowToResume(id: string, { dataDir, outputFormat }: RunCommand, screen: Screen): void {
  if (outputFormat !== 'text') return
  const isPlain = dataDir === undefined || /^[\w@%+=:,./-]+$/.test(dataDir)
  const quoted = isPlain ? dataDir : `'${dataDir.replaceAll("'", "'\\''")}'`
  const folder = quoted === undefined ? '' : ` --data-dir ${quoted}`
  screen.note(`session ${id}; go on with: npm start --${folder} --resume ${id}`)
}

async function close({ session, store }: OpenedSession): Promise<void> {
  try {
    await session.shutdown()
  } finally {
    await store.close()
  }
}

/** Waits for the end of a run, but not for ever: what is not closed by then ends with the process. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.catch(() => undefined), timeout])
  clearTimeout(timer)
}
