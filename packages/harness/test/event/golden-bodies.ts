/** One stored body of every enduring event: what a journal of version 1 holds. A change here breaks journals. */
import type { EnduringBody } from '../../src/index.ts'

const loop = '"loopId":"00000000-0000-7000-8000-000000000001"'
const turn = `${loop},"turnId":"00000000-0000-7000-8000-000000000002"`
const input = '"inputId":"00000000-0000-7000-8000-000000000003"'
const step = `${turn},"stepId":"00000000-0000-7000-8000-000000000004"`
const call = '"toolExecutionId":"00000000-0000-7000-8000-000000000005"'
const gate = '"gateId":"00000000-0000-7000-8000-000000000006"'
const process = `${loop},"processId":"p_1-A",${call},"processCreatedAt":1700000000000`
const said = '"message":{"role":"user","blocks":[{"type":"text","text":"Where is X?"}]}'
const candidate =
  '{"kind":"command.execute","match":"exact:ls","description":"run ls","grantClass":"command.start.v1","grantTarget":"ls"}'
const requirement =
  '{"kind":"command.execute","scope":"ls","match":"exact:ls","description":"run ls","grantClass":"command.start.v1",' +
  `"grantTarget":"ls","candidates":[${candidate}]}`
const request =
  `{"toolName":"Bash","summary":"run ls","requirements":[${requirement}],"command":"ls",` +
  '"workingDirectory":"/w","expiresAtMs":1700000000000}'
const usage = '{"inputTokens":1,"outputTokens":2,"cacheReadTokens":0,"cacheWriteTokens":0,"reasoningTokens":0}'
const answer =
  '{"role":"assistant","blocks":[' +
  '{"type":"thinking","text":"hm","seal":{"format":"anthropic","signature":"sig"}},' +
  '{"type":"thinking","text":"","state":{"format":"openai-responses","data":{"id":"rs_1","n":[1,null]}}},' +
  '{"type":"text","text":"\\u0000 \\ud83d\\ude00 \\ud83d"},' +
  '{"type":"refusal","text":""},' +
  '{"type":"image","mediaType":"image/png","data":"aGk="},' +
  '{"type":"tool_use","id":"c1","name":"ls","input":{"deep":{"list":[{}]}},"state":{"format":"gemini","data":"s"}},' +
  '{"type":"tool_use","id":"c2","name":"ls","input":{}}' +
  `],"usage":${usage},"model":"m-1"}`
const results =
  '{"role":"tool","toolUseId":"c1","isError":false,"blocks":[{"type":"text","text":"a\\nb"}]},' +
  '{"role":"tool","toolUseId":"c2","isError":true,"blocks":[{"type":"image","mediaType":"image/png","url":"https://x.test/i"}]}'
const model =
  '{"provider":"p","name":"m","capabilities":{"tools":true,"images":false},"limits":{"windowTokens":8192},' +
  '"sampling":{"temperature":0.5,"stop":["END"],"effort":"low"},' +
  '"prices":{"inputPerMillion":0.4,"outputPerMillion":1.6,"cacheReadPerMillion":0.1,"currency":"USD"}}'
const tools = '[{"name":"ls","schemaDigest":"ab"}]'
const config = `{"rig":"r","workspace":"/w","loops":[{"name":"coder","model":"p/m","systemDigest":"cd","tools":${tools}}]}`
const limits = '[{"name":"calls","value":100},{"name":"cost","value":0.5}]'
const modes = `[{"name":"plan","model":"p/big","modelDigest":"aa","instructionsDigest":"bb","tools":${tools},"limits":${limits}},{"name":"fast"}]`
const fullConfig =
  `{"rig":"r","workspace":"","loops":[{"name":"coder","model":"p/m","modelDigest":"ab","systemDigest":"cd","tools":[],` +
  `"limits":${limits},"gate":{"posture":"headless","confinementDigest":"ee"},"modes":${modes},"initialMode":"plan",` +
  '"outputDigest":"aa","contextDigest":"bb","runtimeContext":true,"middlewares":2,"delegates":["reviewer"],' +
  '"delegation":"managed","descriptionDigest":"cc"}],"primers":["coder"],' +
  `"delegationLimits":${limits},"hooksRevision":"2026-01","app":[{"name":"version","value":"2"}]}`
const change = '{"field":"loops.coder.model","category":"model","severity":"info","recorded":"p/m","present":"p/n"}'

export const goldenBodies: { readonly [Type in EnduringBody['type']]: string } = {
  SessionStarted: `{"v":1,"type":"SessionStarted","config":${config}}`,
  SessionActive: '{"v":1,"type":"SessionActive"}',
  SessionIdle: '{"v":1,"type":"SessionIdle"}',
  SessionStopped: '{"v":1,"type":"SessionStopped"}',
  ConfigurationAdopted: `{"v":1,"type":"ConfigurationAdopted","config":${fullConfig},"changes":[${change}],"by":"ann"}`,
  ActiveLoopChanged:
    '{"v":1,"type":"ActiveLoopChanged","previous":"00000000-0000-7000-8000-000000000001",' +
    '"active":"00000000-0000-7000-8000-000000000007"}',
  LoopStarted: `{"v":1,"type":"LoopStarted",${loop},"name":"coder"}`,
  LoopIdle: `{"v":1,"type":"LoopIdle",${loop}}`,
  LoopModeChanged: `{"v":1,"type":"LoopModeChanged",${loop},"previous":"","mode":"plan"}`,
  LoopInferenceChanged: `{"v":1,"type":"LoopInferenceChanged",${loop},"model":${model}}`,
  TurnFoldedInto: `{"v":1,"type":"TurnFoldedInto",${turn},${input},"turnIndex":1,${said}}`,
  TurnRejected: `{"v":1,"type":"TurnRejected",${loop},${input},"reason":"queue_full",${said}}`,
  TurnStarted: `{"v":1,"type":"TurnStarted",${turn},${input},"turnIndex":1,${said}}`,
  TurnDone: `{"v":1,"type":"TurnDone",${turn},${input},"turnIndex":1,"usage":${usage}}`,
  TurnFailed: `{"v":1,"type":"TurnFailed",${turn},${input},"turnIndex":2,"error":{"code":"auth","message":"no key"}}`,
  TurnInterrupted: `{"v":1,"type":"TurnInterrupted",${turn},${input},"turnIndex":3}`,
  InputCancelled: `{"v":1,"type":"InputCancelled",${loop},${input},"reason":"turn_failed",${said}}`,
  StepDone: `{"v":1,"type":"StepDone",${step},"messages":[${answer},${results}]}`,
  PermissionRequested:
    `{"v":1,"type":"PermissionRequested",${step},${gate},${call},"request":${request},` +
    `"unmet":[${requirement}],"actions":["approve","deny"]}`,
  UserInputRequested:
    `{"v":1,"type":"UserInputRequested",${step},${gate},${call},` +
    '"question":{"text":"Which one?","choices":["a","b"]}}',
  PermissionDecided: `{"v":1,"type":"PermissionDecided",${step},${call},"effect":"deny","reason":"access_denied","subject":"Bash"}`,
  CompactionCommitted:
    `{"v":1,"type":"CompactionCommitted",${loop},"reason":"automatic","through":9,"tailFrom":7,` +
    `"summary":{"role":"user","blocks":[{"type":"text","text":"what was"}]},"usage":${usage}}`,
  CompactionRejected: `{"v":1,"type":"CompactionRejected",${loop},"reason":"manual","cause":"unavailable","through":0}`,
  ProcessStarted: `{"v":1,"type":"ProcessStarted",${process},"processStartedAt":1700000000001}`,
  ProcessBackgrounded: `{"v":1,"type":"ProcessBackgrounded",${process},"processStartedAt":1700000000001}`,
  ProcessStopRequested:
    `{"v":1,"type":"ProcessStopRequested",${process},"state":"running","reason":"terminated",` +
    '"processStartedAt":1700000000001}',
  ProcessCompleted:
    `{"v":1,"type":"ProcessCompleted",${process},"state":"exited","reason":"exited","exitCode":-1,` +
    '"processStartedAt":1700000000001,"processFinishedAt":1700000000009}',
  ProcessLost: `{"v":1,"type":"ProcessLost",${process},"processStartedAt":1700000000001,"diagnostic":"its owner is gone"}`,
  GateResolved: `{"v":1,"type":"GateResolved",${step},${gate},${call},"reason":"answered","action":"approve","by":"ann"}`,
}
