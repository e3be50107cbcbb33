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
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** A log whose lines can be read, and tracing that says there what it has to say. */
async function open(config: Partial<TracingConfig>) {
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
  undo.push(() => tracing.close())
  return { tracing, tracer: tracing.tracer('test'), lines }
}

/** As many spans as are sent at once, without waiting for others. */
function makeBatch({ tracer }: { tracer: ReturnType<Tracing['tracer']> }) {
  for (let each = 0; each < 512; each += 1) tracer.start('work', { kind: 'internal' }).end()
}

async function listen(answer: () => number): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => void req.resume().on('end', () => res.writeHead(answer()).end('{}')))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => new Promise(resolve => server.close(resolve).closeAllConnections()))
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
  ])('%s: %s', (given, isSane) => {
    expect(validTraceparent(given)).toBe(isSane ? given : undefined)
  })
})

describe('without a collector', () => {
  test('there is no tracing, and no SDK or exporter is loaded (its API is, by prom-client)', async () => {
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

  test('work is done without a span', async () => {
    expect(await inSpan(undefined, 'work', { kind: 'internal' }, async () => 7)).toBe(7)
  })
})

describe('a span', () => {
  test('continues the trace it is given, or the one under way, or begins one', async () => {
    const { tracer } = await open({})
    const traceOf = (traceparent: string) => traceparent.slice(3, 35)
    const given = tracer.start('a', { kind: 'server', parent }).traceparent
    expect([traceOf(given), given.slice(36, 52) !== parent.slice(36, 52)]).toEqual([traceOf(parent), true])
    await currentTrace.run({ requestId: 'r', traceparent: given }, () =>
      inSpan(tracer, 'b', { kind: 'internal' }, async () => {
        const inner = currentTrace.getStore()?.traceparent as string
        expect([traceOf(inner), inner === given]).toEqual([traceOf(parent), false])
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
    'is recorded as %s (%s) says, below %s from outside %s: %s',
    async (tracesSampler, tracesSamplerArg, above, fromOutside, flag) => {
      const { tracer } = await open({ tracesSampler, tracesSamplerArg })
      expect(tracer.start('a', { kind: 'server', parent: above, fromOutside }).traceparent.slice(-2)).toBe(flag)
    },
  )
})

describe('a collector that is away', () => {
  test('is told once, is told when it is back, and holds up nobody', async () => {
    let status = 400
    const { url } = await listen(() => status)
    const tracing = await open({ otlpEndpoint: url })
    const told = (msg: RegExp) => tracing.lines.filter(line => msg.test(line.msg)).length
    makeBatch(tracing)
    await eventually(() => told(/cannot be reached/) === 1)
    makeBatch(tracing)
    makeBatch(tracing)
    status = 200
    await eventually(() => {
      makeBatch(tracing)
      return told(/is back/) === 1
    })
    expect(told(/cannot be reached/)).toBe(1)
  })

  test('does not keep a process from ending', async () => {
    const { server, url } = await listen(() => 200)
    const tracing = await open({ otlpEndpoint: url })
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
])('%s: a wrong value is one line', (name, value) => {
  const { otlpEndpoint, tracesSampler, tracesSamplerArg } = baseVariables
  const read = () => readConfig({ [name]: value }, { otlpEndpoint, tracesSampler, tracesSamplerArg })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(new RegExp(`^${name}: "${value}" was given, accepted is `))
})
