import type { OpenPermission, OpenQuestion, Session } from '../../src/index.ts'

/** The open gates of a session that ask for permission. */
export function permissions(session: Pick<Session, 'gates'>): readonly OpenPermission[] {
  return session.gates().filter((gate) => gate.kind === 'permission')
}

/** The open gates of a session that ask a question. */
export function questions(session: Pick<Session, 'gates'>): readonly OpenQuestion[] {
  return session.gates().filter((gate) => gate.kind === 'question')
}
