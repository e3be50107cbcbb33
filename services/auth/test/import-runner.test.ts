import { expect, jest, test } from '@jest/globals'
import { systemClock } from '@watchline/kit/core/clock'
import { createLogger } from '@watchline/kit/observability/log'
import { createImportRunner, type ImportRunnerDeps } from '../src/jobs/people-import/import-runner.ts'
import type { ImportRecord, ImportResult } from '../src/store/imports.ts'

const startedRun = { id: 'i1', run: 'r1', parts: 1, fileName: 'people.csv' } as ImportRecord

/** The recorded result of an import whose transaction fails. */
async function resultOfFailure(error: unknown): Promise<ImportResult> {
  const endRun = jest.fn(async (_id: string, _run: string, _result: ImportResult) => true)
  const imports = { text: async () => 'email,role\ntrainee1@example.org,user', reportProgress: async () => {}, endRun }
  const outbox = { transaction: () => Promise.reject(error) }
  const runner = createImportRunner({
    imports,
    outbox,
    clock: systemClock,
    log: createLogger('test', 'silent'),
  } as unknown as ImportRunnerDeps)
  await runner.start(new AbortController().signal)
  runner.apply(startedRun, { id: 'a1', name: 'Root' })
  await runner.stop()
  expect(endRun.mock.calls.map(([id, run]) => [id, run])).toEqual([['i1', 'r1']])
  return endRun.mock.calls[0]![2]
}

test('a transaction too large for the database is a problem of the file', async () => {
  const result = await resultOfFailure(Object.assign(new Error('transaction is too large'), { code: 388 }))
  expect(result.status).toBe('refused')
  expect(result.problems!.map(problem => [problem.line, problem.message])).toEqual([
    [1, expect.stringMatching(/Split the file/)],
  ])
})

test('an unavailable database interrupts the import', async () => {
  expect(await resultOfFailure(new Error('connection closed'))).toEqual({ status: 'interrupted' })
})
