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
import fc from 'fast-check'
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
    [request([command], { ...binding, expiresAtMs: 0 }), 'grant_binding_missing', 'expiresAtMs'],
    [request([command], { ...binding, expiresAtMs: 1.5 }), 'grant_binding_missing', 'expiresAtMs'],
    [request([command], { ...binding, workingDirectory: ' ' }), 'grant_binding_missing', 'workingDirectory'],
    [request([], { toolName: 'Look\0' }), 'field_invalid', 'toolName'],
    [request([], { command: 'ls\0' }), 'field_invalid', 'command'],
    [request([], { workingDirectory: 'half \ud83d' }), 'field_invalid', 'workingDirectory'],
    [request([{ ...read, grantClass: ' x', grantTarget: 'y' }]), 'field_invalid', 'requirements[0].grant'],
    [request([{ ...read, grantClass: 'x', grantTarget: '' }]), 'field_invalid', 'requirements[0].grant'],
    [request([{ ...command, grantClass: 'other' }], binding), 'command_grant_invalid', 'requirements[0]'],
    [
      request([{ kind: commandExecute, scope: '', match: 'ls', description: 'ls' }], binding),
      'command_grant_invalid',
      'requirements[0]',
    ],
    [
      request([{ ...read, candidates: [{ kind: read.kind, match: ' a', description: 'a' }] }]),
      'field_invalid',
      'requirements[0].candidates[0].match',
    ],
    [
      request([{ ...read, candidates: [{ kind: read.kind, match: 'a', description: '' }] }]),
      'field_invalid',
      'requirements[0].candidates[0].description',
    ],
  ])('refuses %j with %s', (invalid, code, field) => {
    const validate = () => validateRequest(invalid)

    expect(validate).toThrow(RequestValidationError)
    expect(validate).toThrow(expect.objectContaining({ code, field, message: `${field}: ${code}` }))
  })

  it.each([
    [{ toolName: 7 }, 'toolName'],
    [{ summary: undefined }, 'summary'],
    [{ command: 7 }, 'command'],
    [{ workingDirectory: {} }, 'workingDirectory'],
    [{ expiresAtMs: '1' }, 'expiresAtMs'],
    [{ requirements: undefined }, 'requirements'],
    [{ requirements: {} }, 'requirements'],
    [{ requirements: [null] }, 'requirements[0]'],
    [{ requirements: [{ ...read, scope: 7 }] }, 'requirements[0].scope'],
    [{ requirements: [{ ...read, candidates: 'all' }] }, 'requirements[0].candidates'],
    [{ requirements: [{ ...read, candidates: [null] }] }, 'requirements[0].candidates[0]'],
  ])('refuses %j of a caller without types with a typed error', (change, field) => {
    const invalid = { ...request([]), ...change } as never

    expect(() => validateRequest(invalid)).toThrow(expect.objectContaining({ code: 'field_invalid', field }))
  })

  it('answers whatever comes with nothing or with its own error, and tells no value', () => {
    const odd = fc.oneof(fc.anything(), fc.constantFrom('x', commandExecute, commandStartGrant, ' x', 'x\0'))
    const anyCandidate = fc.record({ kind: odd, match: odd, description: odd, grantClass: odd }, { requiredKeys: [] })
    const anyRequirement = fc.record(
      {
        ...{ kind: odd, scope: odd, match: odd, description: odd, grantClass: odd, grantTarget: odd },
        candidates: fc.oneof(odd, fc.array(fc.oneof(odd, anyCandidate), { maxLength: 3 })),
      },
      { requiredKeys: [] },
    )
    const anyRequest = fc.record(
      {
        ...{ toolName: odd, summary: odd, command: odd, workingDirectory: odd, expiresAtMs: odd },
        requirements: fc.oneof(odd, fc.array(fc.oneof(odd, anyRequirement), { maxLength: 3 })),
      },
      { requiredKeys: ['toolName', 'summary', 'requirements'] },
    )

    fc.assert(
      fc.property(fc.oneof(odd, anyRequest), (given) => {
        try {
          validateRequest(given as never)
        } catch (error) {
          expect(error).toBeInstanceOf(RequestValidationError)
          expect((error as Error).message).toMatch(/^[a-zA-Z0-9.[\]]+: [a-z_]+$/)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
