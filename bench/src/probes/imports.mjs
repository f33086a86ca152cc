/** What it costs to import a library in a process that has imported nothing else. */

const doors = {
  zod: ['zod'],
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
}

/** @param {string} name */
export async function probe(name) {
  const rss = process.memoryUsage.rss()
  const before = process.cpuUsage()
  for (const door of doors[name]) await import(door)
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1_000, (process.memoryUsage.rss() - rss) / 1e6]
}
