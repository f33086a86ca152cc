export { addNoteDefinition } from './notes/add-note.ts'
export type { NoteCode } from './notes/note-code.ts'
export { noteCodes } from './notes/note-code.ts'
export { wordCountDefinition } from './word-count/word-count.ts'
