import { expect, test } from '@jest/globals'
import {
  asFailure,
  explainFailure,
  type Failure,
  failureOf,
  networkFailure,
  timeoutFailure,
} from '../../src/api/failure.ts'

const answerOf = (status: number, body: unknown = '<html>') => failureOf(new Response(null, { status }), body)

test.each<[string, Failure, string]>([
  ['the server’s reason', answerOf(409, { code: 'full', detail: 'The team is full.' }), 'The team is full.'],
  ['no network', networkFailure, 'Check your connection.'],
  ['no answer in time', timeoutFailure(20), 'Watchline did not answer in time.'],
  ['a proxy’s page', answerOf(502), 'Watchline has a problem at the moment. Please try again later.'],
  ['a refusal without a reason', answerOf(403), 'Watchline refused the request.'],
  ['too many requests', answerOf(429), 'Too many requests at once. Please wait a moment.'],
  ['a mistake of the page', asFailure(new Error()), 'Something went wrong in this page.'],
])('explains %s', (_cause, failure, text) => {
  expect(explainFailure(failure)).toBe(text)
})
