import { expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import type { Role } from '@watchline/contracts/people'
import { temporaryFolder } from '../../../tools/test/_processes.ts'
import { assignCallers, callers } from '../../src/fuzz/callers.ts'
import { isFault, readFindings } from '../../src/fuzz/findings.ts'
import { fuzzProduct } from '../../src/fuzz/fuzz.ts'

const event = (status: string, name: string, message: string) =>
  JSON.stringify({
    ScenarioFinished: {
      recorder: {
        label: 'POST /comments',
        checks: { c1: [{ name, status, failure_info: { failure: { title: 'Title', message } } }] },
        interactions: {
          c1: {
            request: { method: 'POST', uri: 'http://localhost/api/comments', body: { $base64: 'e30=' } },
            response: { status_code: 500 },
          },
        },
      },
    },
  })

test('reads failed checks from a report, and leaves out what is cut off', () => {
  const report = [
    event('success', 'not_a_server_error', 'fine'),
    event('failure', 'not_a_server_error', 'an error'),
    JSON.stringify({ ScenarioFinished: { recorder: { label: 'GET /without/requests' } } }),
    event('failure', 'not_a_server_error', 'cut off').slice(0, -5),
  ].join('\n')
  const findings = readFindings(report)
  expect(findings).toEqual([
    {
      operation: 'POST /comments',
      check: 'not_a_server_error',
      message: 'Title: an error',
      request: 'POST http://localhost/api/comments {}',
      status: 500,
    },
  ])
  expect(findings.every(isFault)).toBe(true)
})

test('each operation has one caller who may call it, and the callers share them evenly', () => {
  const callerOf = assignCallers(operations)
  for (const { name, callers: allowed } of operations) {
    const caller = callerOf.get(name)!
    const isAllowed =
      allowed === 'anyone' ? caller === 'nobody' : allowed === 'signed-in' || allowed.includes(caller as Role)
    expect([name, caller, isAllowed]).toEqual([name, caller, true])
  }
  const counts = callers.map(caller => [...callerOf.values()].filter(assigned => assigned === caller).length)
  expect(Math.min(...counts)).toBeGreaterThan(15)
})

/**
 * The bounded form of `make fuzz`: few calls of every operation, by one caller who may call it.
 * Whether the servers refuse what they should is left to the long form.
 */
test('no answer to generated input is an error of ours or contradicts the API document', async () => {
  const faults = await fuzzProduct({
    folder: temporaryFolder(),
    callers: 'one each',
    phases: ['fuzzing'],
    checks: [
      'not_a_server_error',
      'status_code_conformance',
      'content_type_conformance',
      'response_schema_conformance',
    ],
    maxExamples: 2,
    seed: 1,
    log: () => {},
  })
  expect(Object.fromEntries(faults)).toEqual(Object.fromEntries(callers.map(caller => [caller, []])))
})
