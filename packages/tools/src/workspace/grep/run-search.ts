import { type ToolResult, textResult } from '../../contract/result.ts'
import { isPrintablePath } from '../../files/printable.ts'
import { skippedNotice, unprintableNotice } from '../noise.ts'
import { visiblePath } from '../path/visible-path.ts'
import { type FileList, listFiles } from './list-files.ts'
import { GrepReport } from './report.ts'
import { RipgrepUnusableError, searchWithRipgrep } from './ripgrep.ts'
import { scan } from './scan.ts'
import type { FileMatches, SearchRequest } from './search.ts'

/** Searches with ripgrep where it can be used, else with re2js, and renders what may be shown. */
export async function runSearch(root: string, request: SearchRequest, ripgrep: string | false): Promise<ToolResult> {
  const result = ripgrep === false ? undefined : await searchAsRipgrep(root, request, ripgrep)
  if (result !== undefined) return result
  const { paths, skipped } = await listFiles(request)
  return render(await collect(root, request, scan(paths, request)), skipped)
}

/** Undefined when ripgrep cannot be used. */
async function searchAsRipgrep(root: string, request: SearchRequest, program: string): Promise<ToolResult | undefined> {
  const skipped = new Set<string>()
  const noteSkipped = (name: string) => {
    if (request.recursive && !request.isFile) skipped.add(name)
  }
  try {
    return render(await collect(root, request, searchWithRipgrep(program, request, noteSkipped)), skipped)
  } catch (error) {
    if (error instanceof RipgrepUnusableError) return undefined
    throw error
  }
}

interface SearchOutcome {
  readonly report: GrepReport
  /** Files that match and are not shown, by why. */
  readonly binary: number
  readonly unprintable: number
}

async function collect(
  root: string,
  { guard, contextLines, isLocal }: SearchRequest,
  files: AsyncIterable<FileMatches>,
): Promise<SearchOutcome> {
  const report = new GrepReport({ contextLines, maxBytes: guard.maxReadBytes })
  let binary = 0
  let unprintable = 0
  for await (const file of files) {
    const path = await visiblePath(root, file.path, { guard, isLocal })
    if (path === undefined) continue
    if (!isPrintablePath(path)) unprintable += 1
    else if (file.isBinary) binary += 1
    else if (!report.add(path, file)) break
  }
  return { report, binary, unprintable }
}

function render({ report, binary, unprintable }: SearchOutcome, skipped: FileList['skipped']): ToolResult {
  const isEmpty = report.lines.length === 0 && !report.isTruncated
  const lines = [
    ...(isEmpty ? ['no matches'] : report.lines),
    ...report.notices(),
    ...(binary === 0 ? [] : [`[skipped binary files that match: ${binary}]`]),
    ...unprintableNotice(unprintable),
    ...skippedNotice(skipped),
  ]
  return textResult(lines.join('\n'), {
    details: {
      matchCount: report.matchCount,
      files: report.files.map((file) => ({ ...file })),
      isTruncated: report.isTruncated,
      skippedFolders: [...skipped].sort(),
    },
  })
}
