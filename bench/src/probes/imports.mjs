/** What it costs to import a library in a process that has imported nothing else. */

const doors = {
  zod: ['zod'],
  undici: ['undici'],
  // no door of its own here: every other package brings it
  'looprig core': [new URL('../../../packages/core/dist/index.js', import.meta.url).href],
  'looprig inference': ['@looprig/inference'],
  'looprig inference/openai': ['@looprig/inference/openai'],
  'looprig inference/anthropic': ['@looprig/inference/anthropic'],
  'looprig inference/openai-responses': ['@looprig/inference/openai-responses'],
  'looprig inference/gemini': ['@looprig/inference/gemini'],
  'looprig inference/bedrock': ['@looprig/inference/bedrock'],
  'looprig harness': ['@looprig/harness'],
  'looprig harness, sqlite and workspace tools': [
    '@looprig/harness',
    '@looprig/store/sqlite',
    '@looprig/tools/workspace',
  ],
  pi: ['@mariozechner/pi-agent-core'],
  ai: ['ai'],
  'openai-agents': ['@openai/agents'],
  langgraph: ['@langchain/langgraph'],
  openai: ['openai'],
  'anthropic-sdk': ['@anthropic-ai/sdk'],
}

/** @param {string} name */
export async function probe(name) {
  const rss = process.memoryUsage.rss()
  const before = process.cpuUsage()
  for (const door of doors[name]) await import(door)
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1_000, (process.memoryUsage.rss() - rss) / 1e6]
}
