import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cookieNames } from '@watchline/identity/cookies'
import { type Call, runClosedLoop } from '../../shared/load-generator.ts'
import { createMeter, type Spread, spreadOf, spreadsOf, usageBetween } from '../../shared/meter.ts'
import { startNginx } from '../../shared/proxies/nginx.ts'
import { fastifyProxy, stubService } from '../../shared/proxies/programs.ts'
import { formatSpread, markdownTable } from '../../shared/tables.ts'
import { type BenchOptions, throwIfInterrupted } from '../bench-options.ts'
import type { BenchProcess, BenchWorld } from '../bench-world.ts'
import { type CallCost, computeCallCost } from '../call-cost.ts'

const connections = 32
const personCount = 500
/** The limits are on, and so high that they refuse nothing. */
const unreachableLimit = '1000000'

/** `serverUs` is the CPU of the proxy, µs a request. */
const costFields = ['callsPerS', 'p50Ms', 'p99Ms', 'serverUs', 'errors'] as const
type ProxyCost = Pick<CallCost, (typeof costFields)[number]>

export interface GatewayFigures {
  cases: {
    name: string
    rounds: ProxyCost[]
    spread: Record<(typeof costFields)[number], Spread>
    /** CPU a request divided by that of nginx in the same round. */
    cpuPerNginx: Spread
  }[]
}

interface Case {
  /** Also the name of its process in the meter's readings. */
  name: string
  url: string
  nextCall: () => Call
}

const nginxCase = 'nginx'

/**
 * Measures what a request costs the gateway with and without its checks, beside proxies without
 * any, all in front of the same stub of a service. The order of the cases alternates from round to
 * round.
 */
export async function measureGateway(
  world: BenchWorld,
  options: BenchOptions & { rounds: number },
  { seconds, warmUpS }: { seconds: number; warmUpS: number } = { seconds: 4, warmUpS: 1 },
): Promise<GatewayFigures> {
  const { processes, cases } = await startCases(world, options)
  const meter = createMeter(world.client.db('admin').admin(), processes)
  const results = cases.map(() => [] as ProxyCost[])
  for (let round = 1; round <= options.rounds; round += 1) {
    const order = [...cases.keys()]
    for (const index of round % 2 ? order : order.reverse()) {
      throwIfInterrupted(options)
      const { name, url, nextCall } = cases[index]!
      await runClosedLoop(url, nextCall, { connections, seconds: warmUpS })
      const before = await meter.read()
      const outcome = await runClosedLoop(url, nextCall, { connections, seconds })
      const cost = computeCallCost(outcome, usageBetween(before, await meter.read()), name, 0)
      results[index]!.push(cost)
      options.log(`  round ${round}: ${name}: ${cost.serverUs.toFixed(0)} µs, p99 ${cost.p99Ms.toFixed(1)} ms`)
    }
  }
  return summarizeCases(cases.map(({ name }, index) => ({ name, rounds: results[index]! })))
}

async function startCases(world: BenchWorld, { log }: BenchOptions) {
  log('— processes: a stub of a service, nginx, @fastify/http-proxy, Express, and two gateways')
  const folder = mkdtempSync(join(tmpdir(), 'watchline-nginx-'))
  world.onStop(() => rmSync(folder, { recursive: true, force: true }))
  const service = await world.startProgram('stub-service', stubService, {})
  const nginx = await startNginx(service.url, folder, log)
  world.onStop(() => nginx.stop())
  const startProxy = (name: string, file: string) => world.startProgram(name, file, { SERVICE_URL: service.url })
  const startGateway = (name: string, env: Record<string, string>) =>
    world.startService(
      'gateway',
      {
        AUTH_URL: service.url,
        PLAYBACK_SESSION_URL: service.url,
        ENGAGEMENT_URL: service.url,
        NOTIFICATION_URL: service.url,
        CHAT_URL: service.url,
        RATE_LIMIT_SESSION: unreachableLimit,
        RATE_LIMIT_ADDRESS: unreachableLimit,
        ...env,
      },
      name,
    )
  const fastify = await startProxy('fastify-proxy', fastifyProxy)
  const express = await startProxy('express-proxy', 'lab/src/bench/gateway/express-proxy.ts')
  const gateway = await startGateway('gateway', {})
  const unlimited = await startGateway('gateway without rate limits', { RATE_LIMITS: 'false' })

  const people = Array.from({ length: personCount }, () => world.addPerson('user'))
  const tokens = people.map(person => world.signToken(person))
  const processes: Record<string, number> = {}
  const cases: Case[] = []
  const add = (name: string, { url, pid }: BenchProcess, nextCall: () => Call) => {
    processes[name] = pid
    cases.push({ name, url, nextCall })
  }
  const signedInPoll = rotate(await signedInCalls(gateway, tokens, '/api/chat/unread-count'))
  const publicCall = rotate([{ method: 'GET', path: '/api/auth/options', token: '' }])
  add(nginxCase, nginx, signedInPoll)
  add('@fastify/http-proxy', fastify, signedInPoll)
  add('Express and http-proxy-middleware', express, signedInPoll)
  add('gateway: GET of a signed-in person', gateway, signedInPoll)
  add('gateway: POST with an anti-forgery token', gateway, rotate(await postCalls(gateway, tokens)))
  add('gateway: GET without session and presence', gateway, publicCall)
  add('gateway without rate limits: GET of a signed-in person', unlimited, signedInPoll)
  add('gateway without rate limits: GET without session and presence', unlimited, publicCall)
  return { processes, cases }
}

/** The cookies of each person, with an anti-forgery token of the gateway. */
async function signedInCalls(gateway: BenchProcess, tokens: readonly string[], path: string): Promise<Call[]> {
  const names = cookieNames(gateway.url)
  return Promise.all(
    tokens.map(async token => {
      const access = `${names.access}=${token}`
      const answer = await fetch(gateway.url + path, { headers: { cookie: access } })
      const xsrf = answer.headers.getSetCookie().find(cookie => cookie.startsWith(`${names.xsrf}=`))
      if (!answer.ok || !xsrf) throw new Error(`${path} answered ${answer.status} without an anti-forgery token`)
      return { method: 'GET', path, token, headers: { cookie: `${access}; ${xsrf.split(';', 1)[0]}` } }
    }),
  )
}

async function postCalls(gateway: BenchProcess, tokens: readonly string[]): Promise<Call[]> {
  const { xsrf } = cookieNames(gateway.url)
  const calls = await signedInCalls(gateway, tokens, '/api/chat/unread-count')
  return calls.map(call => ({
    ...call,
    method: 'POST',
    path: '/api/session/heartbeat',
    body: '{}',
    headers: { ...call.headers, 'x-xsrf-token': call.headers!.cookie!.split(`${xsrf}=`)[1]! },
  }))
}

function rotate(calls: readonly Call[]): () => Call {
  let count = 0
  return () => calls[count++ % calls.length]!
}

export function summarizeCases(cases: readonly { name: string; rounds: ProxyCost[] }[]): GatewayFigures {
  const nginx = cases.find(({ name }) => name === nginxCase)!
  return {
    cases: cases.map(({ name, rounds }) => ({
      name,
      rounds,
      spread: spreadsOf(rounds, costFields),
      cpuPerNginx: spreadOf(rounds.map(({ serverUs }, round) => serverUs / nginx.rounds[round]!.serverUs)),
    })),
  }
}

/** Markdown: medians with the minimum and maximum of the rounds. */
export function gatewayTable({ cases }: GatewayFigures): string {
  return markdownTable(
    ['proxy', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'CPU ÷ nginx', 'errors'],
    cases.map(({ name, spread, cpuPerNginx }) => [
      name,
      formatSpread(spread.callsPerS, 0),
      formatSpread(spread.p50Ms, 2),
      formatSpread(spread.p99Ms, 2),
      formatSpread(spread.serverUs, 0),
      formatSpread(cpuPerNginx, 2),
      formatSpread(spread.errors, 0),
    ]),
  )
}
