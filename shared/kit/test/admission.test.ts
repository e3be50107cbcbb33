import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type LowPriority, lowPriorityOf, priorityHeader } from '@watchline/contracts/priority'
import { type AdmissionControl, createAdmissionControl } from '@watchline/kit/http/admission'
import { admitRequests } from '@watchline/kit/http/admit-requests'
import fc from 'fast-check'

const targetMs = 100

/** A control on a clock that the test moves. `random` is the next random number. */
function createControl({ minSamples = 1 } = {}) {
  const state = { now: 0, random: 0 }
  const control = createAdmissionControl({ targetMs, minSamples, now: () => state.now, random: () => state.random })
  /** Reports the delays one after the other, `everyMs` apart. */
  const report = (delays: readonly number[], everyMs = 50) => {
    for (const delay of delays) {
      state.now += everyMs
      control.recordDelay(delay)
    }
  }
  return { state, control, report }
}

const repeat = (delay: number, times: number) => Array.from({ length: times }, () => delay)
const isAdmitted = (control: AdmissionControl) => ({
  poll: control.admits('poll'),
  report: control.admits('report'),
})

describe('admission control', () => {
  test('refuses polls first and reports next while all work waits, and admits all when it no longer waits', () => {
    const { control, report } = createControl()
    expect(isAdmitted(control)).toEqual({ poll: true, report: true })
    report(repeat(targetMs + 1, 20))
    expect(isAdmitted(control)).toEqual({ poll: false, report: true })
    report(repeat(targetMs + 1, 20))
    expect(isAdmitted(control)).toEqual({ poll: false, report: false })
    report(repeat(targetMs - 1, 200))
    expect(isAdmitted(control)).toEqual({ poll: true, report: true })
  })

  test('never refuses a call that somebody waits for, nor a report while it admits polls', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 10_000, noNaN: true }), { maxLength: 100 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (delays, random) => {
          const { state, control, report } = createControl()
          report(delays)
          state.random = random
          expect(control.admits(undefined)).toBe(true)
          const { poll, report: isReportAdmitted } = isAdmitted(control)
          expect(isReportAdmitted || !poll).toBe(true)
          expect(control.level).toBeGreaterThanOrEqual(0)
          expect(control.level).toBeLessThanOrEqual(2)
        },
      ),
    )
  })

  test('a slow call among quick ones, or a few slow calls, are no overload', () => {
    const { control, report } = createControl()
    report(Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 60_000 : 1)))
    expect(control.level).toBe(0)
    const few = createControl({ minSamples: 5 })
    few.report(repeat(60_000, 50), 300)
    expect(few.control.level).toBe(0)
  })

  test('refuses within seconds if a stalled event loop is measured only once a second', () => {
    const { control, report } = createControl()
    report(repeat(1_000, 3), 1_000)
    expect(isAdmitted(control)).toEqual({ poll: false, report: false })
  })

  test('an overload ends without new delays, and silence before a delay is no overload', () => {
    const { state, control, report } = createControl()
    report(repeat(targetMs + 1, 40))
    state.now += 60_000
    expect(isAdmitted(control)).toEqual({ poll: true, report: true })
    state.now += 60_000
    control.recordDelay(targetMs + 1)
    expect(control.level).toBeLessThan(0.5)
  })
})

test.each<[string | string[] | undefined, LowPriority | undefined]>([
  [priorityHeader.poll, 'poll'],
  [priorityHeader.report, 'report'],
  ['i, u=7', 'poll'],
  ['u=6, i', 'report'],
  ['u=3', undefined],
  ['u=70', undefined],
  ['uu=7', undefined],
  ['', undefined],
  [['u=7'], undefined],
  [undefined, undefined],
])('the header Priority: %p means %p', (header, priority) => {
  expect(lowPriorityOf(header)).toBe(priority)
})

describe('a server with an overloaded event loop', () => {
  let server: Server
  afterEach(() => {
    server.close()
    server.closeAllConnections()
  })

  test('refuses polls with 503 and Retry-After, and answers calls that somebody waits for', async () => {
    const refused: LowPriority[] = []
    const blockMs = 250
    server = createServer(
      admitRequests(
        (_req, res) => {
          const endsAt = performance.now() + blockMs
          while (performance.now() < endsAt);
          res.end('answered')
        },
        priority => refused.push(priority),
      ),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const send = (headers: Record<string, string>) =>
      new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
        const req = request({ port, host: '127.0.0.1', headers, agent: false }, async res => {
          let body = ''
          for await (const chunk of res) body += chunk
          resolve({ status: res.statusCode!, headers: res.headers, body })
        })
        req.on('error', reject)
        req.end()
      })
    let poll = await send({ priority: priorityHeader.poll })
    expect(poll.status).toBe(200)
    while (poll.status === 200) {
      const [answer, nextPoll] = await Promise.all([send({}), send({ priority: priorityHeader.poll })])
      expect(answer).toMatchObject({ status: 200, body: 'answered' })
      poll = nextPoll
    }
    expect(poll.status).toBe(503)
    expect(Number(poll.headers['retry-after'])).toBeGreaterThan(0)
    expect(JSON.parse(poll.body)).toMatchObject({ code: 'overloaded', request_id: expect.any(String) })
    expect(refused).toEqual(['poll'])
    expect((await send({})).status).toBe(200)
  })
})
