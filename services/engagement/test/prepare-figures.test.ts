import { expect, test } from '@jest/globals'
import { createLogger } from '@watchline/kit/observability/log'
import { eventually } from '@watchline/testing/harness'
import { createFiguresPreparation, prepareFigures } from '../src/jobs/prepare-figures.ts'

function createDeps(trainees: number, figures: () => Promise<never>) {
  let calls = 0
  const get = () => {
    calls += 1
    return figures()
  }
  // Only what the preparation calls.
  const deps = { people: { countOf: async () => trainees }, everybodyFigures: { get } }
  return { deps: deps as unknown as Parameters<typeof prepareFigures>[0], countCalls: () => calls }
}

const log = createLogger('test', 'silent')

test('the figures of a large organisation are prepared at the start, which does not wait for them', async () => {
  const { deps, countCalls } = createDeps(2_000, () => new Promise(() => {}))
  const preparation = createFiguresPreparation(deps, log)
  await preparation.start(new AbortController().signal)
  await eventually(async () => expect(countCalls()).toBe(1))
  await preparation.stop()
})

test('the figures of a small organisation are not', async () => {
  const { deps, countCalls } = createDeps(1_999, () => new Promise(() => {}))
  await prepareFigures(deps)
  expect(countCalls()).toBe(0)
})

test('a failure does not end the service', async () => {
  const { deps, countCalls } = createDeps(2_000, () => Promise.reject(new Error('no database')))
  const preparation = createFiguresPreparation(deps, log)
  await preparation.start(new AbortController().signal)
  await eventually(async () => expect(countCalls()).toBe(1))
  await preparation.stop()
})
