export type {
  ScriptedClient,
  ScriptedClientOptions,
  ScriptedResponse,
  ScriptedToolCall,
} from './testing/scripted-client.ts'
export { scriptedClient } from './testing/scripted-client.ts'
