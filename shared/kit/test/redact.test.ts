import { describe, expect, test } from '@jest/globals'
import { createLogger, currentTrace } from '../src/observability/log.ts'
import { redact, serializeError } from '../src/observability/redact.ts'

/** A logger whose lines can be read. */
function listening(level = 'debug') {
  const lines: Record<string, unknown>[] = []
  const log = createLogger('test', level, { write: line => void lines.push(JSON.parse(line)) })
  return { log, lines }
}

/** Fails as the parser does. */
function parseFailure(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

describe('the words of drivers and parsers', () => {
  test.each([
    [
      'E11000 duplicate key error collection: w-auth.people index: email_1 dup key: { email: "one@people.example" }',
      'E11000 duplicate key error collection: w-auth.people index: email_1 dup key: {…}',
    ],
    [
      'connect to mongodb://app:s3cret@db.internal:27017/?authSource=admin failed',
      'connect to mongodb://…@db.internal:27017/ failed',
    ],
    ['amqps://guest:guest@broker/vhost refused', 'amqps://…@broker/vhost refused'],
    ['GET https://id.example/authorize?code=abc&state=def#x failed', 'GET https://id.example/authorize failed'],
    [
      'Cast to string failed for value "{ a: \'secret\' }" (type Object) at path "name"',
      'Cast to string failed for value (hidden) (type Object) at path "name"',
    ],
    ['jwt eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl is not good', 'jwt (token) is not good'],
    ['sent Authorization: Bearer abc.def-ghi', 'sent Authorization: Bearer (hidden)'],
    ['nobody called trainee.one+x@people.example here', 'nobody called (address) here'],
    ['cannot read -----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----', 'cannot read (key)'],
    ['connect ECONNREFUSED 127.0.0.1:27017', 'connect ECONNREFUSED 127.0.0.1:27017'],
  ])('%s', (given, told) => {
    expect(redact(given)).toBe(told)
  })

  test('what JSON.parse quotes of a body stays out', () => {
    for (const text of ['{"comment": "my secret', 'my secret', '{"a": my secret}', '{"a": 1} my secret'])
      expect(JSON.stringify(serializeError(parseFailure(text)))).not.toContain('secret')
  })
})

describe('errors in the log', () => {
  test('only kind, words, code, origin and cause are told', () => {
    const error = Object.assign(
      new Error('failed for one@people.example', { cause: new TypeError('inner one@people.example') }),
      {
        code: 11000,
        keyValue: { email: 'one@people.example' },
        writeErrors: [{ op: { text: 'a text' } }],
      },
    )
    const told = serializeError(error)
    expect(Object.keys(told).sort()).toEqual(['cause', 'code', 'message', 'stack', 'type'])
    expect(told).toMatchObject({
      type: 'Error',
      code: 11000,
      message: 'failed for (address)',
      cause: { type: 'TypeError' },
    })
    expect(told.stack).toMatch(/^\s+at .*redact\.test\.ts/)
    expect(JSON.stringify(told)).not.toMatch(/people\.example|a text/)
  })

  test('an endless chain of causes, and what is no error at all, are told all the same', () => {
    const error = new Error('round')
    error.cause = error
    expect(JSON.stringify(serializeError(error)).length).toBeLessThan(20_000)
    expect(serializeError('a text')).toEqual({ type: 'string', message: 'not an error' })
    expect(serializeError({ email: 'one@people.example' })).toEqual({ type: 'object', message: 'not an error' })
  })
})

describe('a line', () => {
  test('says when, how grave, which service, and what was going on', () => {
    const { log, lines } = listening()
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    currentTrace.run({ requestId: 'request-1', traceparent }, () =>
      log.info({ err: new Error('x@y.example') }, 'something'),
    )
    currentTrace.run({ requestId: 'request-2', traceparent: undefined }, () => log.info('something else'))
    expect(lines).toMatchObject([
      {
        level: 'info',
        service: 'test',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        request_id: 'request-1',
        trace_id: traceparent.slice(3, 35),
        span_id: '00f067aa0ba902b7',
        err: { message: '(address)' },
      },
      { request_id: 'request-2' },
    ])
    expect(lines[1]).not.toHaveProperty('trace_id')
  })

  test('what slips in with an object stays out', () => {
    const { log, lines } = listening()
    log.warn({ email: 'x', password: 'y', headers: { cookie: 'z' }, reason: 'dup key: { name: "w" }' }, 'something')
    expect(lines[0]).toMatchObject({
      email: '(hidden)',
      password: '(hidden)',
      headers: '(hidden)',
      reason: 'dup key: {…}',
    })
  })
})
