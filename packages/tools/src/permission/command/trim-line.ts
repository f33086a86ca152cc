/** Takes away what a shell ignores around a command: space, tab and newline, and nothing that only looks like them. */
export function trimLine(line: string): string {
  let start = 0
  let end = line.length
  while (start < end && isBlank(line.charCodeAt(start))) start += 1
  while (end > start && isBlank(line.charCodeAt(end - 1))) end -= 1
  // A backslash makes the blank after it a part of the command.
  if (line[end - 1] === '\\' && end < line.length) end += 1
  return line.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a
}
