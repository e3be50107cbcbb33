import { randomUUID } from 'node:crypto'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { forEachConcurrently, mapInBatches } from '../shared/concurrency.ts'
import { type Call, type Outcome, runClosedLoop, runOpenLoop } from '../shared/load-generator.ts'
import { createMeter, type Meter, type Spread, spreadsOf, usageBetween } from '../shared/meter.ts'
import { formatSpread, markdownTable } from '../shared/tables.ts'
import { type BenchOptions, throwIfInterrupted } from './bench-options.ts'
import { type BenchProcess, type BenchWorld, callService } from './bench-world.ts'
import { type CallCost, computeCallCost, costFields, measureIdleUsage } from './call-cost.ts'
import { addWatchedVideos } from './watched-videos.ts'

const personCount = 500
const videoLengthS = 3_600
const connections = 32
const closedLoopS = 5
const openLoopS = 8
const warmUpS = 0.7
const firstCallsS = 2

export interface WriteResult {
  name: string
  build: string
  rounds: (CallCost & { answers: Record<string, number> })[]
  spread: Record<keyof CallCost, Spread>
}

export interface WriteFigures {
  idle: { commandsPerS: number; serversCpu: Record<string, number> }
  results: WriteResult[]
}

interface WriteOptions extends BenchOptions {
  rounds: number
  /** One measurement's name; all if undefined. */
  only?: string | undefined
  /** Calls a second of the open loop. */
  ratePerS: number
  /**
   * Measures people who have watched so many videos, one group of people for each number. The
   * reference has no such documents. Undefined for people with one video, beside the reference.
   */
  watchedVideos?: readonly number[] | undefined
}

interface Build {
  name: 'watchline' | 'reference'
  /** The name of its process in the meter's readings. */
  server: string
  url: string
}

interface LoadKind {
  name: string
  seconds: number
  run(url: string, nextCall: () => Call, seconds: number): Promise<Outcome>
}

const loadKindsOf = (ratePerS: number): readonly LoadKind[] => [
  {
    name: `${connections} connections`,
    seconds: closedLoopS,
    run: (url, nextCall, seconds) => runClosedLoop(url, nextCall, { connections, seconds }),
  },
  {
    name: `${ratePerS} calls/s`,
    // At low rates long enough for a thousand calls, within a minute.
    seconds: Math.min(60, Math.max(openLoopS, 1_000 / ratePerS)),
    run: (url, nextCall, seconds) => runOpenLoop(url, nextCall, { ratePerS, seconds }),
  },
]

/** Measures save-progress and track of both builds, which alternate within each round. */
export async function measureWrites(world: BenchWorld, options: WriteOptions): Promise<WriteFigures> {
  const { rounds, only, log, ratePerS, watchedVideos } = options
  const director = world.addPerson('director')
  const groupSizes = watchedVideos ?? [1]
  log(`— processes: playback-session, engagement, reference`)
  const playback = await world.startService('playback-session')
  const engagement = await world.startService('engagement', { PLAYBACK_SESSION_URL: playback.url })
  const reference = await world.startReference()
  log(`— ${groupSizes.length * personCount} people with a monitored session each`)
  const groups = await mapInBatches(groupSizes, 1, async videos => {
    const people = Array.from({ length: personCount }, () => world.addPerson('user'))
    const tokens = people.map(person => world.signToken(person))
    const playlistId = await createAssignedPlaylist(playback.url, world.signToken(director), people)
    await forEachConcurrently(tokens, 8, async token => {
      const body = JSON.stringify({ is_monitoring: true, playlist_id: playlistId })
      await callService(playback.url, { method: 'POST', path: '/api/session/monitoring', token, body })
    })
    return { videos, people, calls: createWriteCalls(playlistId, tokens) }
  })
  const measurements = groups
    .flatMap(({ videos, calls }) => {
      const buildsOf = (server: string, watchline: BenchProcess): Build[] => [
        { name: 'watchline', server, url: watchline.url },
        ...(watchedVideos ? [] : [{ name: 'reference', server: 'reference', url: reference.url } as const]),
      ]
      const suffix = watchedVideos ? `, ${videos} videos` : ''
      return [
        {
          ...{ kind: 'save-progress', name: `save-progress${suffix}` },
          ...{ nextCall: calls.saveProgress, builds: buildsOf('playback', playback) },
        },
        {
          ...{ kind: 'track', name: `track${suffix}` },
          ...{ nextCall: calls.track, builds: buildsOf('engagement', engagement) },
        },
      ]
    })
    .filter(({ kind }) => !only || kind === only)

  const meter = createMeter(world.client.db('admin').admin(), {
    playback: playback.pid,
    engagement: engagement.pid,
    reference: reference.pid,
    ...world.serverPids,
  })
  log('— first calls, then the servers without calls')
  for (const { nextCall, builds } of measurements)
    for (const { url } of builds) await runClosedLoop(url, nextCall, { connections, seconds: firstCallsS })
  for (const { videos, people } of groups)
    await addWatchedVideos(
      service => world.client.db(`${world.prefix}-${service}`),
      people.map(({ id }) => id),
      videos - 1,
    )
  const idle = await measureIdleUsage(meter)

  const results = new Map<string, WriteResult>()
  for (let round = 1; round <= rounds; round += 1) {
    for (const load of loadKindsOf(ratePerS)) {
      for (const { name, nextCall, builds } of measurements) {
        for (const build of round % 2 === 0 ? builds.toReversed() : builds) {
          throwIfInterrupted(options)
          const cost = await measureBuild(meter, { load, nextCall, build, idleCommandsPerS: idle.commandsPerS })
          const title = `${name}, ${load.name}`
          const key = `${title} ${build.name}`
          const result = results.get(key) ?? { name: title, build: build.name, rounds: [], spread: emptySpread() }
          results.set(key, result)
          result.rounds.push(cost)
          log(
            `  round ${round}: ${title}, ${build.name}: ${Math.round(cost.callsPerS)}/s, p99 ${cost.p99Ms.toFixed(1)} ms`,
          )
        }
      }
    }
  }
  for (const result of results.values()) result.spread = spreadsOf(result.rounds, costFields)
  return { idle, results: [...results.values()] }
}

const emptySpread = () => ({}) as WriteResult['spread']

async function measureBuild(
  meter: Meter,
  {
    load,
    nextCall,
    build,
    idleCommandsPerS,
  }: { load: LoadKind; nextCall: () => Call; build: Build; idleCommandsPerS: number },
): Promise<WriteResult['rounds'][number]> {
  await load.run(build.url, nextCall, warmUpS)
  const before = await meter.read()
  const outcome = await load.run(build.url, nextCall, load.seconds)
  const usage = usageBetween(before, await meter.read())
  return { ...computeCallCost(outcome, usage, build.server, idleCommandsPerS), answers: outcome.answers }
}

/** The measured calls rotate over all people, who play at 1 ×, so that everything is credited. */
function createWriteCalls(playlistId: string, tokens: readonly string[]) {
  let callCount = 0
  const startedAt = Date.now()
  const nextToken = () => tokens[callCount++ % tokens.length]!
  const position = () => ((Date.now() - startedAt) / 1_000) % videoLengthS
  return {
    saveProgress: (): Call => ({
      method: 'POST',
      path: '/api/session/save-progress',
      token: nextToken(),
      body: JSON.stringify({ playlist_id: playlistId, video_id: 'v0', video_index: 0, progress: position() }),
    }),
    track: (): Call => ({
      method: 'POST',
      path: '/api/engagement/track',
      token: nextToken(),
      body: JSON.stringify({
        playlist_id: playlistId,
        video_id: 'v0',
        watch_time: position(),
        event_type: 'playing',
        event_id: randomUUID(),
        client_time: new Date().toISOString(),
      }),
    }),
  }
}

async function createAssignedPlaylist(url: string, token: string, people: readonly PersonSnapshot[]): Promise<string> {
  const video = {
    provider: 'file',
    id: 'v0',
    url: 'https://media.example.org/v0.webm',
    title: 'A',
    duration: videoLengthS,
  }
  const playlist = await callService(url, {
    method: 'POST',
    path: '/api/playlists',
    token,
    body: JSON.stringify({ title: 'Measured', videos: [video] }),
  })
  await callService(url, {
    method: 'PUT',
    path: `/api/playlists/${playlist.id}/assign`,
    token,
    body: JSON.stringify({ assigned_users: people.map(person => person.id) }),
  })
  return playlist.id
}

const columns: [string, keyof CallCost, number][] = [
  ['calls/s', 'callsPerS', 0],
  ['p50 ms', 'p50Ms', 1],
  ['p99 ms', 'p99Ms', 1],
  ['server µs', 'serverUs', 0],
  ['mongod µs', 'mongodUs', 0],
  ['redis µs', 'redisUs', 0],
  ['commands', 'commandsPerCall', 3],
  ['errors', 'errors', 0],
]

/**
 * A Markdown table: medians with the minimum and maximum of the rounds, and the ratio to the
 * reference build.
 */
export function writeTable({ results }: WriteFigures): string {
  const rows: string[][] = []
  for (const { name, build, spread } of results) {
    rows.push([name, build, ...columns.map(([, field, digits]) => formatSpread(spread[field], digits))])
    const watchline = results.find(result => result.name === name && result.build === 'watchline')
    if (build !== 'reference' || !watchline) continue
    const ratios = columns.map(([, field]) => formatRatio(watchline.spread[field].median, spread[field].median))
    rows.push(['', 'watchline ÷ reference', ...ratios])
  }
  const head = ['measurement', 'build', ...columns.map(([title]) => title)]
  return markdownTable(head, rows, { textColumns: 2 })
}

/** Empty if the reference is 0, for example for errors. */
function formatRatio(watchline: number, reference: number): string {
  return reference > 0 && watchline >= 0 ? `× ${(watchline / reference).toPrecision(2)}` : ''
}
