import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startCollector } from './_collector.ts'
import { findPrivateData, startAllInOneProcess } from './_systems.ts'
import { startTraffic } from './_traffic.ts'

let collector: Awaited<ReturnType<typeof startCollector>>
let system: Awaited<ReturnType<typeof startAllInOneProcess>>
let traffic: Awaited<ReturnType<typeof startTraffic>>

beforeAll(async () => {
  collector = await startCollector()
  system = await startAllInOneProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  traffic = await startTraffic(system.url)
  await traffic.begin()
  const where = await traffic.learn()
  await traffic.comment(where)
  await traffic.review()
  await traffic.chat()
  await traffic.mistakes()
  system.mongo.fault('refuse')
  await traffic.callUntil(() => system.logs().some(line => line.includes('"code":"unavailable"')))
  system.mongo.fault('none')
  await traffic.waitUntilWell()
  await traffic.leave()
  await system.stop()
})
afterAll(async () => {
  await traffic?.close()
  await system?.stop()
  await system?.close()
  await collector?.stop()
})

test('all in one process: logs contain no private data', () => {
  const [ready, ...others] = system.logs().filter(line => !line.startsWith('{'))
  expect([ready, others]).toEqual([`Watchline is ready at ${system.url}`, []])
  const lines = system.logs().filter(line => line.startsWith('{'))
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ service: expect.any(String), time: expect.any(String) })
  expect(lines.length).toBeGreaterThan(100)
  expect(findPrivateData(system.logs().join('\n'), traffic.secrets())).toEqual([])
  expect(findPrivateData(system.errors(), traffic.secrets())).toEqual([])
})

test('all in one process: traces name each service, and a stop sends the last spans', () => {
  const services = new Set(collector.spans.map(span => span.service))
  expect(services).toEqual(new Set(['gateway', 'auth', 'playback-session', 'engagement', 'notification', 'chat']))
  expect(collector.spans.filter(span => span.service === 'auth' && span.name === 'logoutAdmin')).toHaveLength(1)
  expect(collector.spans.some(span => span.name === 'consume comment.added')).toBe(true)
})
