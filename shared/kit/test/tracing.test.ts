import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { createLogger, currentTrace } from '../src/observability/log.ts'
import { inSpan, type Tracing, validTraceparent } from '../src/observability/tracing.ts'
import { openTracing, type TracingConfig } from '../src/observability/tracing-open.ts'
import { baseVariables, ConfigError, readConfig } from '../src/process/config.ts'

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const unsampled = `${parent.slice(0, -1)}0`
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

/** Tracing with a log that keeps its lines. */
async function openTestTracing(config: Partial<TracingConfig>) {
  const lines: { level: string; msg: string }[] = []
  const log = createLogger('test', 'info', { write: line => void lines.push(JSON.parse(line)) })
  const tracing = (await openTracing(
    {
      logLevel: 'info',
      otlpEndpoint: 'http://127.0.0.1:9',
      tracesSampler: 'parentbased_always_on',
      tracesSamplerArg: 1,
      ...config,
    },
    log,
  )) as Tracing
  cleanups.push(() => tracing.close())
  return { tracing, tracer: tracing.tracer('test'), lines }
}

/** Ends as many spans as make a full batch, which is sent at once. */
function makeBatch({ tracer }: { tracer: ReturnType<Tracing['tracer']> }) {
  for (let index = 0; index < 512; index += 1) tracer.start('work', { kind: 'internal' }).end()
}

async function startCollector(status: () => number): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => void req.resume().on('end', () => res.writeHead(status()).end('{}')))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => new Promise(resolve => server.close(resolve).closeAllConnections()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

describe('trace context', () => {
  test.each([
    [parent, true],
    [unsampled, true],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', false],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', false],
    ['01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', false],
    [parent.toUpperCase(), false],
    [`${parent}-more`, false],
    ['', false],
    [undefined, false],
    [[parent], false],
  ])('is valid: %s: %s', (traceparent, isValid) => {
    expect(validTraceparent(traceparent)).toBe(isValid ? traceparent : undefined)
  })
})

describe('without a collector', () => {
  test('there is no tracing, and no SDK or exporter is loaded (prom-client loads only the API)', async () => {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
      await import('./gateway/src/gateway.ts')
      const { openTracing } = await import('./shared/kit/src/observability/tracing-open.ts')
      const tracing = await openTracing({ logLevel: 'info' })
      console.log(JSON.stringify({ tracing: tracing ?? null, loaded: loaded.filter(url => /opentelemetry.(?!api.)|otlp/.test(url)) }))`
    const { NODE_OPTIONS: _, ...env } = process.env
    const root = new URL('../../..', import.meta.url).pathname
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: root,
      env,
    })
    expect(JSON.parse(stdout)).toEqual({ tracing: null, loaded: [] })
  })

  test('inSpan runs the work without a span', async () => {
    expect(await inSpan(undefined, 'work', { kind: 'internal' }, async () => 7)).toBe(7)
  })
})

describe('a span', () => {
  test('continues the given trace, else the current one, else starts a new one', async () => {
    const { tracer } = await openTestTracing({})
    const traceOf = (traceparent: string) => traceparent.slice(3, 35)
    const outer = tracer.start('a', { kind: 'server', parent }).traceparent
    expect([traceOf(outer), outer.slice(36, 52) !== parent.slice(36, 52)]).toEqual([traceOf(parent), true])
    await currentTrace.run({ requestId: 'r', traceparent: outer }, () =>
      inSpan(tracer, 'b', { kind: 'internal' }, async () => {
        const inner = currentTrace.getStore()?.traceparent as string
        expect([traceOf(inner), inner === outer]).toEqual([traceOf(parent), false])
      }),
    )
    expect(validTraceparent(tracer.start('c', { kind: 'server', parent: 'nonsense' }).traceparent)).toBeDefined()
  })

  test.each([
    ['parentbased_always_on', 1, unsampled, false, '00'],
    ['parentbased_always_on', 1, unsampled, true, '01'],
    ['parentbased_always_off', 1, parent, false, '01'],
    ['parentbased_always_off', 1, parent, true, '00'],
    ['parentbased_traceidratio', 0, parent, true, '00'],
    ['parentbased_traceidratio', 0, parent, false, '01'],
    ['always_on', 1, unsampled, false, '01'],
    ['always_off', 1, parent, false, '00'],
    ['traceidratio', 0, parent, false, '00'],
  ] as const)(
    'follows the sampler %s (%s): parent %s, from outside %s, flag %s',
    async (tracesSampler, tracesSamplerArg, parentSpan, isExternal, flag) => {
      const { tracer } = await openTestTracing({ tracesSampler, tracesSamplerArg })
      expect(tracer.start('a', { kind: 'server', parent: parentSpan, isExternal }).traceparent.slice(-2)).toBe(flag)
    },
  )
})

describe('an unavailable collector', () => {
  test('is logged once, and its return too', async () => {
    let status = 400
    const { url } = await startCollector(() => status)
    const tracing = await openTestTracing({ otlpEndpoint: url })
    const countLines = (msg: RegExp) => tracing.lines.filter(line => msg.test(line.msg)).length
    makeBatch(tracing)
    await eventually(() => countLines(/collector unavailable/) === 1)
    makeBatch(tracing)
    makeBatch(tracing)
    status = 200
    await eventually(() => {
      makeBatch(tracing)
      return countLines(/available again/) === 1
    })
    expect(countLines(/collector unavailable/)).toBe(1)
  })

  test('does not keep a process from stopping', async () => {
    const { server, url } = await startCollector(() => 200)
    const tracing = await openTestTracing({ otlpEndpoint: url })
    await new Promise(resolve => server.close(resolve))
    makeBatch(tracing)
    tracing.tracer.start('last', { kind: 'internal' }).end()
    await tracing.tracing.close()
  })
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('%s: a wrong value is reported in one line', (name, value) => {
  const { otlpEndpoint, tracesSampler, tracesSamplerArg } = baseVariables
  const read = () => readConfig({ [name]: value }, { otlpEndpoint, tracesSampler, tracesSamplerArg })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(new RegExp(`^${name}: "${value}" was given, accepted is `))
})
