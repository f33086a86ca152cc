import {
  commandExecute,
  commandStartGrant,
  RequestValidationError,
  type Requirement,
  readRequirement,
  readTreeRequirement,
  type ToolRequest,
  validateRequest,
  writeRequirement,
} from '@looprig/tools'
import { describe, expect, it } from 'vitest'

const read = readRequirement('/ws/a')
const grant = { grantClass: commandStartGrant, grantTarget: 'ls' }
const command: Requirement = { kind: commandExecute, scope: '', match: 'ls', description: 'run ls', ...grant }
const binding = { command: 'ls', workingDirectory: '/ws', expiresAtMs: 1 }

function request(requirements: readonly Requirement[], change: Partial<ToolRequest> = {}): ToolRequest {
  return { toolName: 'T', summary: 'do it', requirements, ...change }
}

describe('validateRequest', () => {
  it.each([
    [request([])],
    [request([read, readTreeRequirement('/ws'), writeRequirement('/ws/a')])],
    [request([command], binding)],
    [
      request(
        [{ ...command, candidates: [{ kind: commandExecute, match: 'ls', description: 'ls', ...grant }] }],
        binding,
      ),
    ],
  ])('accepts %j', (valid) => {
    expect(() => validateRequest(valid)).not.toThrow()
  })

  it.each<[ToolRequest, RequestValidationError['code'], string]>([
    [request([], { toolName: '' }), 'field_invalid', 'toolName'],
    [request([], { summary: ' padded' }), 'field_invalid', 'summary'],
    [request([], { summary: 'half \ud83d' }), 'field_invalid', 'summary'],
    [request([{ ...read, kind: '' }]), 'field_invalid', 'requirements[0].kind'],
    [request([{ ...read, match: 'a\0b' }]), 'field_invalid', 'requirements[0].match'],
    [request([read, { ...read, description: '' }]), 'field_invalid', 'requirements[1].description'],
    [request([{ ...read, scope: ' ' }]), 'field_invalid', 'requirements[0].scope'],
    [request([read, { ...read, description: 'same again' }]), 'requirement_duplicate', 'requirements[1]'],
    [request([{ ...read, grantClass: 'x' }]), 'grant_pair_invalid', 'requirements[0]'],
    [request([{ ...read, grantTarget: 'x' }]), 'grant_pair_invalid', 'requirements[0]'],
    [
      request([{ ...read, candidates: [...(read.candidates ?? []), ...(read.candidates ?? [])] }]),
      'candidate_duplicate',
      'requirements[0].candidates[1]',
    ],
    [
      request([{ ...read, candidates: [{ kind: 'other', match: 'a', description: 'a' }] }]),
      'field_invalid',
      'requirements[0].candidates[0].kind',
    ],
    [
      request([{ ...read, candidates: [{ kind: read.kind, match: 'a', description: 'a', ...grant }] }]),
      'field_invalid',
      'requirements[0].candidates[0].grant',
    ],
    [request([{ ...command, scope: '/ws' }], binding), 'command_grant_invalid', 'requirements[0]'],
    [request([{ ...command, grantTarget: 'rm' }], binding), 'command_grant_invalid', 'requirements[0]'],
    [request([command], { ...binding, command: 'rm' }), 'command_grant_invalid', 'requirements[0]'],
    [
      request([{ kind: 'x', scope: '', match: 'x', description: 'x', ...grant }], {
        workingDirectory: '/ws',
        expiresAtMs: 1,
      }),
      'grant_binding_missing',
      'command',
    ],
    [request([command], { command: 'ls', expiresAtMs: 1 }), 'grant_binding_missing', 'workingDirectory'],
    [
      request([command], { command: 'ls', workingDirectory: '/ws', expiresAtMs: Number.NaN }),
      'grant_binding_missing',
      'expiresAtMs',
    ],
  ])('refuses %j with %s', (invalid, code, field) => {
    const validate = () => validateRequest(invalid)

    expect(validate).toThrow(RequestValidationError)
    expect(validate).toThrow(expect.objectContaining({ code, field, message: `${field}: ${code}` }))
  })
})
