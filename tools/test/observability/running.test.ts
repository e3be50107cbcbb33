import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { type ReceivedSpan, startCollector } from './_collector.ts'
import { queries, selectorsOf } from './_queries.ts'
import { findPrivateData, startProcesses } from './_systems.ts'
import { startTraffic, type Traffic } from './_traffic.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const browserTraceparent = `00-${traceId}-00f067aa0ba902b7-00`

const services = ['gateway', 'auth', 'playback-session', 'engagement', 'notification', 'chat']

let collector: Awaited<ReturnType<typeof startCollector>>
let system: Awaited<ReturnType<typeof startProcesses>>
let traffic: Traffic

beforeAll(async () => {
  collector = await startCollector()
  system = await startProcesses({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  traffic = await startTraffic(system.url)
  await traffic.begin()
  const where = await traffic.learn()
  await traffic.comment(where, { traceparent: browserTraceparent, tracestate: 'vendor=1' })
  await traffic.review()
  await traffic.listen(() => traffic.chat())
  await traffic.mistakes()
})
afterAll(async () => {
  await traffic?.close()
  await system?.close()
  await collector?.stop()
})

describe('traces', () => {
  test('a comment is one trace, from the browser to the notification', async () => {
    const find = (service: string, name: string) =>
      collector.spans.find(span => span.traceId === traceId && span.service === service && span.name === name)
    const path: [string, string, number][] = [
      ['gateway', 'addComment', 2],
      ['gateway', 'call engagement', 3],
      ['engagement', 'addComment', 2],
      ['engagement', 'transaction', 1],
      ['engagement', 'publish comment.added', 4],
      ['notification', 'consume comment.added', 5],
    ]
    await eventually(() => expect(path.filter(([service, name]) => !find(service, name))).toEqual([]))
    let parent = '00f067aa0ba902b7'
    for (const [service, name, kind] of path) {
      const span = find(service, name) as ReceivedSpan
      expect(span).toMatchObject({ parentSpanId: parent, kind, failed: false })
      parent = span.spanId
    }
  })

  test('spans say which service they come from, and nothing about people', async () => {
    await eventually(() => expect(new Set(collector.spans.map(span => span.service))).toEqual(new Set(services)))
    const [span] = collector.spans
    expect(span!.resource).toMatchObject({
      'service.namespace': 'watchline',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
      'service.instance.id': expect.any(String),
      'deployment.environment.name': 'test',
    })
    expect(findPrivateData(collector.text(), traffic.secrets())).toEqual([])
  })

  test('a call between services is in the trace of its request', async () => {
    const childOf = (parent: ReceivedSpan, service: string, name: string) =>
      collector.spans.find(
        span => span.parentSpanId === parent.spanId && span.service === service && span.name === name,
      )
    await eventually(() => {
      const requests = collector.spans.filter(span => span.service === 'playback-session' && span.name === 'listOnline')
      const internalCall = requests.map(request => childOf(request, 'playback-session', 'ask auth')).find(Boolean)
      expect(internalCall).toBeDefined()
      expect(childOf(internalCall!, 'auth', 'internal/people/:id')).toMatchObject({
        traceId: internalCall!.traceId,
        kind: 2,
      })
    })
  })

  test('probes and scrapes are no traces', () => {
    expect(collector.spans.filter(span => /health|ready|metrics/.test(span.name))).toEqual([])
  })
})

describe('logs', () => {
  beforeAll(async () => {
    await traffic.comment(await traffic.learn())
    await breakSomething()
    await cutOffMongo()
    await traffic.leave()
  })

  /** An unexpected error: somebody changed a document by hand. */
  async function breakSomething() {
    const comments = system.database('engagement').collection('comments')
    await comments.updateMany({}, { $set: { created_at: 'Quux someone@people.example' } })
    const { playlist_id, video_id } = (await comments.findOne())!
    expect((await traffic.supervisor.call('GET', `/comments/${playlist_id}/${video_id}`)).status).toBe(500)
    await comments.deleteMany({})
  }

  async function cutOffMongo() {
    system.mongo.fault('refuse')
    await traffic.callUntil(() => system.logs().some(line => line.includes('"code":"unavailable"')))
    system.mongo.fault('none')
    await traffic.waitUntilWell()
  }

  test('are JSON with time, level, service and message, in every process', () => {
    const lines = system.logs().map(line => JSON.parse(line))
    for (const line of lines)
      expect(line).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        level: expect.stringMatching(/^(debug|info|warn|error|fatal)$/),
        service: expect.any(String),
        msg: expect.any(String),
      })
    expect(new Set(lines.map(line => line.service))).toEqual(new Set(services))
    expect(lines.filter(line => line.msg === 'request answered').length).toBeGreaterThan(40)
  })

  test('of one request have its ids in every service', () => {
    const lines = system.logs().map(line => JSON.parse(line))
    const ours = lines.filter(line => line.trace_id === traceId && line.msg === 'request answered')
    expect(ours.map(line => [line.service, line.operation])).toEqual(
      expect.arrayContaining([
        ['gateway', 'addComment'],
        ['engagement', 'addComment'],
      ]),
    )
    expect(new Set(ours.map(line => line.request_id)).size).toBe(1)
  })

  test('report failures', () => {
    const failed = system
      .logs()
      .map(line => JSON.parse(line))
      .filter(line => /^request (failed|refused)$/.test(line.msg))
    expect(failed.map(line => line.code)).toEqual(expect.arrayContaining(['internal', 'unavailable']))
    for (const { err } of failed) expect(err).toMatchObject({ type: expect.any(String), message: expect.any(String) })
  })

  test('hold no names, addresses, texts, passwords, tokens or secrets', () => {
    const text = system.logs().join('\n')
    expect(findPrivateData(text, traffic.secrets())).toEqual([])
    const settings = [
      'TOKEN_PRIVATE_KEY',
      'INTERNAL_PRIVATE_KEY',
      'CSRF_SECRET',
      'REFRESH_SECRET',
      'COOKIE_SECRET',
    ] as const
    for (const name of settings) expect(text).not.toContain(system.env[name]!.slice(30, 60))
    expect(text).not.toMatch(/[a-z]+:\/\/[^/\s"]*:[^/\s"]*@/)
    expect(text).not.toMatch(/eyJ[\w-]{10,}/)
  })
})

describe('metrics', () => {
  const declared = new Set<string>()

  /** A process's metrics as Prometheus reads them: for each name the labels of its samples. */
  async function scrape(url: string): Promise<Map<string, Record<string, string>[]>> {
    const text = await (await fetch(`${url}/metrics`)).text()
    const samples = new Map<string, Record<string, string>[]>()
    for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm)) declared.add(name!)
    for (const line of text.split('\n')) {
      const [, name, labels = ''] = /^([a-z_:][\w:]*)(?:\{(.*)\})? /i.exec(line) ?? []
      if (!name) continue
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value])
      samples.set(name, [...(samples.get(name) ?? []), Object.fromEntries(pairs)])
    }
    return samples
  }

  /** Counters of failures that this test does not cause. It only checks that they are declared. */
  const failureCounters = [
    // These processes have no certificate.
    'watchline_certificate_expiry_timestamp_seconds',
    'watchline_event_retries_total',
    'watchline_mongodb_pool_failures_total',
    'watchline_refused_requests_total',
    'watchline_upstream_failures_total',
  ]

  /** Labels that Prometheus adds. */
  const prometheusLabels = new Set(['job', 'instance', 'le'])

  test('of dashboard and alerts exist in the processes that they select, with the labels that they use', async () => {
    const scraped = new Map<string, Map<string, Record<string, string>[]>>()
    for (const [name, group] of Object.entries(system.groups)) scraped.set(name, await scrape(group.replicas[0]!.url))
    const missing = queries()
      .flatMap(selectorsOf)
      .filter(({ metric }) => metric !== 'up' && !metric.includes(':'))
      .filter(({ metric, service, labels }) => {
        if (failureCounters.includes(metric)) return !declared.has(metric)
        const selectedServices = service ? [service] : [...scraped.keys()]
        const samples = selectedServices.flatMap(name => scraped.get(name)?.get(metric) ?? [])
        const expectedLabels = labels.filter(label => !prometheusLabels.has(label))
        return !samples.some(sample => expectedLabels.every(label => label in sample))
      })
    expect(missing).toEqual([])
    for (const [name, samples] of scraped)
      for (const sample of samples.get('watchline_build_info') ?? []) expect(sample.service).toBe(name)
  })

  test('contain operations and path templates, but no people and no ids', async () => {
    for (const group of Object.values(system.groups)) {
      const text = await (await fetch(`${group.replicas[0]!.url}/metrics`)).text()
      expect(findPrivateData(text, traffic.secrets())).toEqual([])
      expect(text).not.toMatch(/[0-9a-f]{24}/)
    }
  })
})
