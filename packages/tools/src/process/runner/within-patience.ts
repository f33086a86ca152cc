import { processError } from '../codes.ts'

/**
 * Waits for a runner, which may be somebody else's and broken: so long after the call should have been over.
 *
 * @throws ToolError `runner_failed` when it does not answer.
 */
export async function withinPatience<T>(
  answer: Promise<T>,
  { overAfterMs, patienceMs, signal }: { overAfterMs: number; patienceMs: number; signal: AbortSignal },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let giveUp = () => {}
  const silence = new Promise<never>((_, reject) => {
    giveUp = () => reject(processError('runner_failed', 'the runner does not answer; the command may still run'))
  })
  silence.catch(() => undefined)
  timer = setTimeout(giveUp, overAfterMs + patienceMs)
  const hurry = () => {
    clearTimeout(timer)
    timer = setTimeout(giveUp, patienceMs)
  }
  signal.addEventListener('abort', hurry, { once: true })
  if (signal.aborted) hurry()
  try {
    return await Promise.race([answer, silence])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', hurry)
    answer.catch(() => undefined)
  }
}
