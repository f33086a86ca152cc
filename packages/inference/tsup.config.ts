import { doors } from '../../tsup.base.ts'

export default doors('index', 'anthropic', 'openai', 'openai-responses', 'gemini', 'bedrock', 'wire', 'testing')
