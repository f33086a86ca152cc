/** Words that take a command out of the group that is supervised. */
const detaching = new Set(['nohup', 'setsid', 'disown'])

/**
 * Says whether a command would leave its supervisor behind: it ends in a single `&`, or names a program that detaches.
 * It reads words, no syntax: a hint to the model, since what confines a process is its runner.
 */
export function isDetached(command: string): boolean {
  if (/(?:^|[^&])&\s*$/.test(command)) return true
  return command.split(/\s+/).some((word) => detaching.has(word.replace(/^[();|&]+|[();|&]+$/g, '')))
}
