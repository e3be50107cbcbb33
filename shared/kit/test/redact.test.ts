import { describe, expect, test } from '@jest/globals'
import { createLogger, currentTrace } from '../src/observability/log.ts'
import { redact, serializeError } from '../src/observability/redact.ts'

/** A logger that keeps its lines. */
function createRecordingLogger(level = 'debug') {
  const lines: Record<string, unknown>[] = []
  const log = createLogger('test', level, { write: line => void lines.push(JSON.parse(line)) })
  return { log, lines }
}

/** The error of JSON.parse. */
function catchParseError(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

describe('messages of drivers and parsers', () => {
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
  ])('%s', (message, redacted) => {
    expect(redact(message)).toBe(redacted)
  })

  test('parts of a body that JSON.parse quotes are not logged', () => {
    for (const text of ['{"comment": "my secret', 'my secret', '{"a": my secret}', '{"a": 1} my secret'])
      expect(JSON.stringify(serializeError(catchParseError(text)))).not.toContain('secret')
  })
})

describe('errors in the log', () => {
  test('have only type, message, code, stack and cause', () => {
    const error = Object.assign(
      new Error('failed for one@people.example', { cause: new TypeError('inner one@people.example') }),
      {
        code: 11000,
        keyValue: { email: 'one@people.example' },
        writeErrors: [{ op: { text: 'a text' } }],
      },
    )
    const serialized = serializeError(error)
    expect(Object.keys(serialized).sort()).toEqual(['cause', 'code', 'message', 'stack', 'type'])
    expect(serialized).toMatchObject({
      type: 'Error',
      code: 11000,
      message: 'failed for (address)',
      cause: { type: 'TypeError' },
    })
    expect(serialized.stack).toMatch(/^\s+at .*redact\.test\.ts/)
    expect(JSON.stringify(serialized)).not.toMatch(/people\.example|a text/)
  })

  test('may have an endless chain of causes, or be no Error object', () => {
    const error = new Error('circular')
    error.cause = error
    expect(JSON.stringify(serializeError(error)).length).toBeLessThan(20_000)
    expect(serializeError('a text')).toEqual({ type: 'string', message: 'not an error' })
    expect(serializeError({ email: 'one@people.example' })).toEqual({ type: 'object', message: 'not an error' })
  })
})

describe('a log line', () => {
  test('has time, level, service, request id and trace', () => {
    const { log, lines } = createRecordingLogger()
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

  test('hides sensitive fields and redacts texts', () => {
    const { log, lines } = createRecordingLogger()
    log.warn({ email: 'x', password: 'y', headers: { cookie: 'z' }, reason: 'dup key: { name: "w" }' }, 'something')
    expect(lines[0]).toMatchObject({
      email: '(hidden)',
      password: '(hidden)',
      headers: '(hidden)',
      reason: 'dup key: {…}',
    })
  })
})
