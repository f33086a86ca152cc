export type { AskUserCode } from './ask-user/ask-user.ts'
export { askUserCodes, askUserDefinition } from './ask-user/ask-user.ts'
