import { ToolError } from '../contract/errors.ts'
import { type FileErrorCode, fileError } from './file-error.ts'
import { isSystemError } from './system-error.ts'

/** Says in our words why the system did not write; what is said already stays as it is. */
export function writeError(error: unknown, display: string): ToolError {
  if (error instanceof ToolError) return error
  const [code, reason] = describe(error)
  return fileError(code, `${display} was not written: ${reason}`, error)
}

function describe(error: unknown): [FileErrorCode, string] {
  if (isSystemError(error, 'ENOSPC', 'EDQUOT')) return ['disk_full', 'there is no room left']
  if (isSystemError(error, 'EFBIG')) return ['disk_full', 'it is larger than a file may be here']
  if (isSystemError(error, 'EEXIST')) return ['file_conflict', 'it exists by now; read it first']
  if (isSystemError(error, 'ENOENT', 'ESTALE')) return ['resolution_changed', 'its folder is gone; call again']
  if (isSystemError(error, 'ENOTDIR', 'ELOOP')) return ['resolution_changed', 'its path has changed; call again']
  if (isSystemError(error, 'EISDIR')) return ['not_a_file', 'a folder is there']
  if (isSystemError(error, 'EROFS')) return ['unwritable', 'the file system is read-only']
  if (isSystemError(error, 'EACCES', 'EPERM')) return ['unwritable', 'there is no right to write here']
  if (isSystemError(error, 'EXDEV', 'EBUSY', 'ETXTBSY')) return ['unwritable', 'it is in use and cannot be replaced']
  if (isSystemError(error, 'ENAMETOOLONG')) return ['unwritable', 'the name is too long']
  return ['unwritable', 'the system refused']
}
