import { expect, jest, test } from '@jest/globals'
import { systemClock } from '@watchline/kit/core/clock'
import { createLogger } from '@watchline/kit/observability/log'
import type { AuthContext } from '../src/context.ts'
import { createImportRunner } from '../src/jobs/people-import/import-runner.ts'
import type { ImportRecord, ImportResult } from '../src/store/imports.ts'

const begun = { id: 'i1', run: 'r1', parts: 1, fileName: 'people.csv' } as ImportRecord

/** A runner whose transaction fails. */
async function endOf(error: unknown): Promise<ImportResult> {
  const end = jest.fn(async (_id: string, _run: string, _result: ImportResult) => true)
  const imports = { text: async () => 'email,role\ntrainee1@example.org,user', hear: async () => {}, end }
  const outbox = { transaction: () => Promise.reject(error) }
  const runner = createImportRunner({
    imports,
    outbox,
    clock: systemClock,
    log: createLogger('test', 'silent'),
  } as unknown as AuthContext)
  await runner.start(new AbortController().signal)
  runner.apply(begun, { id: 'a1', name: 'Root' })
  await runner.stop()
  expect(end.mock.calls.map(([id, run]) => [id, run])).toEqual([['i1', 'r1']])
  return end.mock.calls[0]![2]
}

test('a database without room for one transaction so large is told as a problem', async () => {
  const result = await endOf(Object.assign(new Error('transaction is too large'), { code: 388 }))
  expect(result.status).toBe('refused')
  expect(result.problems!.map(problem => [problem.line, problem.message])).toEqual([
    [1, expect.stringMatching(/Split the file/)],
  ])
})

test('a database that is away leaves the import to be done again', async () => {
  expect(await endOf(new Error('connection closed'))).toEqual({ status: 'interrupted' })
})
