import { randomUUID } from 'node:crypto'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { type Call, closedLoop, type Outcome, openLoop } from '../shared/load-generator.ts'
import { createMeter, type Meter, quantile, type Spread, spreadOf, type Used, usedBetween } from '../shared/meter.ts'
import { type BenchWorld, call, forEachOf } from './bench-world.ts'

const personCount = 500
const videoLengthS = 3_600
const connections = 32
const openRatePerS = 1_000
const closedS = 5
const openS = 8
const warmUpS = 0.7

/** What one build did in one round. CPU in µs a call. */
type Row = Record<
  'callsPerS' | 'p50Ms' | 'p99Ms' | 'serverUs' | 'mongodUs' | 'redisUs' | 'loadUs' | 'commandsPerCall' | 'errors',
  number
>

export interface Result {
  name: string
  build: string
  rounds: (Row & { answers: Record<string, number> })[]
  spread: Record<keyof Row, Spread>
}

export interface Figures {
  idle: { commandsPerS: number; serversCpu: Record<string, number> }
  results: Result[]
}

export interface Asked {
  say(line: string): void
  isInterrupted(): boolean
}

/** save-progress and track, closed and open, of both builds, in rounds that alternate. */
export async function measureWrites(
  world: BenchWorld,
  { rounds, only, say, isInterrupted }: Asked & { rounds: number; only?: string | undefined },
): Promise<Figures> {
  const boss = world.person('director')
  const people = Array.from({ length: personCount }, () => world.person('user'))
  const tokens = people.map(person => world.token(person))

  say(`— processes: playback-session, engagement, reference; ${personCount} people with a monitored session each`)
  const playback = await world.startService('playback-session')
  const engagement = await world.startService('engagement', { PLAYBACK_SESSION_URL: playback.url })
  const reference = await world.startReference()
  const playlistId = await assignedPlaylist(playback.url, world.token(boss), people)
  await forEachOf(tokens, 8, async token => {
    const body = JSON.stringify({ is_monitoring: true, playlist_id: playlistId })
    await call(playback.url, { method: 'POST', path: '/api/session/monitoring', token, body })
  })

  let turn = 0
  const begunMs = Date.now()
  const nextPerson = () => tokens[turn++ % personCount]!
  // Everybody plays at 1 ×, so that all of it is credited.
  const position = () => ((Date.now() - begunMs) / 1_000) % videoLengthS
  const saveProgress = (): Call => ({
    method: 'POST',
    path: '/api/session/save-progress',
    token: nextPerson(),
    body: JSON.stringify({ playlist_id: playlistId, video_id: 'v0', video_index: 0, progress: position() }),
  })
  const track = (): Call => ({
    method: 'POST',
    path: '/api/engagement/track',
    token: nextPerson(),
    body: JSON.stringify({
      playlist_id: playlistId,
      video_id: 'v0',
      watch_time: position(),
      event_type: 'playing',
      event_id: randomUUID(),
      client_time: new Date().toISOString(),
    }),
  })
  const measurements = [
    { name: 'save-progress', next: saveProgress, builds: { watchline: playback, reference } },
    { name: 'track', next: track, builds: { watchline: engagement, reference } },
  ].filter(each => !only || each.name === only)

  const pids = { playback: playback.pid, engagement: engagement.pid, reference: reference.pid }
  const meter = createMeter(world.client.db('admin').admin(), { ...pids, ...world.serverPids })
  const serverOf = new Map([playback, engagement, reference].map((each, index) => [each, Object.keys(pids)[index]!]))

  say('— the first calls, and what the servers do when nobody calls')
  for (const { next, builds } of measurements)
    for (const { url } of Object.values(builds)) await closedLoop(url, next, { connections, seconds: 2 })
  const idle = await idleOf(meter)

  const loads: {
    how: string
    run(url: string, next: () => Call, seconds: number): Promise<Outcome>
    seconds: number
  }[] = [
    {
      how: `${connections} connections`,
      run: (url, next, seconds) => closedLoop(url, next, { connections, seconds }),
      seconds: closedS,
    },
    {
      how: `${openRatePerS} calls/s`,
      run: (url, next, seconds) => openLoop(url, next, { ratePerS: openRatePerS, seconds }),
      seconds: openS,
    },
  ]
  const results = new Map<string, Result>()
  for (let round = 1; round <= rounds; round += 1) {
    for (const { how, run, seconds } of loads) {
      for (const { name, next, builds } of measurements) {
        const order = Object.entries(builds)
        if (round % 2 === 0) order.reverse()
        for (const [build, server] of order) {
          if (isInterrupted()) throw new Error('interrupted')
          await run(server.url, next, warmUpS)
          const before = await meter.read()
          const outcome = await run(server.url, next, seconds)
          const used = usedBetween(before, await meter.read())
          const row = rowOf(outcome, used, serverOf.get(server)!, idle.commandsPerS)
          const key = `${name}, ${how}`
          const result = results.get(`${key} ${build}`) ?? {
            name: key,
            build,
            rounds: [],
            spread: {} as Result['spread'],
          }
          results.set(`${key} ${build}`, result)
          result.rounds.push({ ...row, answers: outcome.answers })
          say(`  round ${round}: ${key}, ${build}: ${Math.round(row.callsPerS)}/s, p99 ${row.p99Ms.toFixed(1)} ms`)
        }
      }
    }
  }
  for (const result of results.values()) {
    const fields = Object.keys(result.rounds[0]!).filter(field => field !== 'answers') as (keyof Row)[]
    for (const field of fields) result.spread[field] = spreadOf(result.rounds.map(row => row[field]))
  }
  return { idle, results: [...results.values()] }
}

export function rowOf(outcome: Outcome, used: Used, server: string, idleCommandsPerS: number): Row {
  const microseconds = (name: string) => ((used.cpu[name] ?? Number.NaN) / outcome.calls) * 1e6
  return {
    callsPerS: outcome.calls / outcome.seconds,
    p50Ms: quantile(outcome.latenciesMs, 0.5),
    p99Ms: quantile(outcome.latenciesMs, 0.99),
    serverUs: microseconds(server),
    mongodUs: microseconds('mongod'),
    redisUs: microseconds('redis'),
    loadUs: microseconds('load'),
    commandsPerCall: Math.max(0, used.commands - idleCommandsPerS * used.seconds) / outcome.calls,
    errors: outcome.errors,
  }
}

async function idleOf(meter: Meter) {
  await new Promise(resolve => setTimeout(resolve, 500))
  const before = await meter.read()
  await new Promise(resolve => setTimeout(resolve, 3_000))
  const { commands, seconds, cpu } = usedBetween(before, await meter.read())
  const serversCpu = Object.fromEntries(Object.entries(cpu).map(([name, used]) => [name, used / seconds]))
  return { commandsPerS: commands / seconds, serversCpu }
}

async function assignedPlaylist(url: string, token: string, people: readonly PersonSnapshot[]): Promise<string> {
  const video = {
    provider: 'file',
    id: 'v0',
    url: 'https://media.example.org/v0.webm',
    title: 'A',
    duration: videoLengthS,
  }
  const made = await call(url, {
    method: 'POST',
    path: '/api/playlists',
    token,
    body: JSON.stringify({ title: 'Measured', videos: [video] }),
  })
  await call(url, {
    method: 'PUT',
    path: `/api/playlists/${made.id}/assign`,
    token,
    body: JSON.stringify({ assigned_users: people.map(each => each.id) }),
  })
  return made.id
}

const columns: [string, keyof Row, number][] = [
  ['calls/s', 'callsPerS', 0],
  ['p50 ms', 'p50Ms', 1],
  ['p99 ms', 'p99Ms', 1],
  ['server µs', 'serverUs', 0],
  ['mongod µs', 'mongodUs', 0],
  ['redis µs', 'redisUs', 0],
  ['commands', 'commandsPerCall', 3],
  ['errors', 'errors', 0],
]

/** A Markdown table: medians with the lowest and highest of the rounds, and the ratio to the reference build. */
export function tableOf({ results }: Figures): string {
  const lines = [
    `| measurement | build | ${columns.map(([title]) => title).join(' | ')} |`,
    `| --- | --- | ${columns.map(() => '---:').join(' | ')} |`,
  ]
  for (const result of results) {
    const { name, build, spread } = result
    lines.push(
      `| ${name} | ${build} | ${columns.map(([, field, digits]) => shown(spread[field], digits)).join(' | ')} |`,
    )
    const other = results.find(each => each.name === name && each.build !== build)
    if (!other || build === 'watchline') continue
    const ratios = columns.map(([, field]) => ratio(other.spread[field].median, spread[field].median))
    lines.push(`| | watchline ÷ reference | ${ratios.join(' | ')} |`)
  }
  return lines.join('\n')
}

export function shown({ median, min, max }: Spread, digits: number): string {
  const range = min === max ? '' : ` (${min.toFixed(digits)}–${max.toFixed(digits)})`
  return `${median.toFixed(digits)}${range}`
}

function ratio(ours: number, theirs: number): string {
  return theirs > 0 && ours >= 0 ? `× ${(ours / theirs).toPrecision(2)}` : ''
}
