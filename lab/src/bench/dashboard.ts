import type { PersonSnapshot } from '@watchline/contracts/people'
import { nameKey } from '@watchline/identity/name-key'
import { newId } from '@watchline/kit/mongo/database'
import { makePersonSnapshot } from '@watchline/testing/harness'
import type mongoose from 'mongoose'
import { type VideoWatch, videoKey } from '../../../services/engagement/src/rules/watch-state.ts'
import { type Call, closedLoop, type Outcome } from '../shared/load-generator.ts'
import { quantile, type Spread, spreadOf } from '../shared/meter.ts'
import { type BenchWorld, call, insert } from './bench-world.ts'
import { type Asked, shown } from './writes.ts'

const teams = 5_000
const teamSize = 10
const playlistCount = 200
const videosEach = 10
const playlistsEach = 2
const videoLengthS = 600
const connections = 4
const seconds = 2
const rounds = 3
const insertAtOnce = 5_000

export interface Plan {
  call: string
  collection: string
  plan: string
  examined: number
  returned: number
  ms: number
}

export interface DashboardFigures {
  people: number
  records: number
  calls: { name: string; calls: number; errors: number; p50Ms: Spread; p99Ms: Spread; bytes: number }[]
  plans: Plan[]
}

/** A million records: what supervisors and a director wait for, and how MongoDB found it. */
export async function measureDashboard(world: BenchWorld, { say, isInterrupted }: Asked): Promise<DashboardFigures> {
  const database = world.client.db(`${world.prefix}-engagement`)
  say('— a million engagement records')
  const supervisors = await fill(database)
  const director = makePersonSnapshot({ role: 'director' })
  await insert(database, 'people', [storedPerson(director)])
  const { url } = await world.startService('engagement')

  const tokens = supervisors.filter((_, index) => index % 25 === 0).map(person => world.token(person))
  const directorToken = world.token(director)
  let turn = 0
  const bySupervisors = (path: string) => (): Call => ({
    method: 'GET',
    path,
    token: tokens[turn++ % tokens.length]!,
  })
  const byDirector = (path: string) => (): Call => ({ method: 'GET', path, token: directorToken })
  const measured: [string, () => Call][] = [
    ['a supervisor’s dashboard', bySupervisors('/api/engagement/dashboard')],
    ['a supervisor’s team', bySupervisors('/api/engagement/team')],
    ['the director’s dashboard (first page)', byDirector('/api/engagement/dashboard')],
    ['the director’s team (first page)', byDirector('/api/engagement/team')],
  ]

  // What was inserted is on its way to the disk, which is nobody's call to pay for.
  await world.client.db('admin').command({ fsync: 1 })
  const outcomes = new Map<string, Outcome[]>()
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, next] of measured) {
      if (isInterrupted()) throw new Error('interrupted')
      const outcome = await closedLoop(url, next, { connections, seconds })
      // The first round is for warming up.
      if (round === 0) outcomes.set(name, [])
      else outcomes.get(name)!.push(outcome)
      say(`  ${round || 'warming up'}: ${name}: p99 ${quantile(outcome.latenciesMs, 0.99).toFixed(1)} ms`)
    }
  }
  const calls: DashboardFigures['calls'] = []
  for (const [name, next] of measured) {
    const own = outcomes.get(name)!
    calls.push({
      name,
      calls: own.reduce((sum, each) => sum + each.calls, 0),
      errors: own.reduce((sum, each) => sum + each.errors, 0),
      p50Ms: spreadOf(own.map(each => quantile(each.latenciesMs, 0.5))),
      p99Ms: spreadOf(own.map(each => quantile(each.latenciesMs, 0.99))),
      bytes: JSON.stringify(await call(url, next())).length,
    })
  }

  const plans: Plan[] = []
  for (const [name, next] of measured) plans.push(...(await plansOf(database, name, () => call(url, next()))))
  const people = await database.collection('watchers').estimatedDocumentCount()
  return { people, records: people * playlistsEach * videosEach, calls, plans }
}

/** What MongoDB did for one call, as its profiler saw it. */
export async function plansOf(
  database: mongoose.mongo.Db,
  name: string,
  make: () => Promise<unknown>,
  kinds: readonly string[] = ['query', 'command'],
): Promise<Plan[]> {
  const profile = database.collection('system.profile')
  await database.command({ profile: 0 })
  await profile.drop().catch(() => {})
  await database.command({ profile: 2 })
  try {
    await make()
  } finally {
    await database.command({ profile: 0 })
  }
  const rows = await profile.find({ op: { $in: [...kinds] } }).toArray()
  return rows
    .filter(row => row.planSummary && !row.command?.aggregate?.startsWith?.('$') && !row.originatingCommand)
    .map(row => ({
      call: name,
      collection: String(row.ns).split('.').slice(1).join('.'),
      plan: shortened(row.planSummary),
      examined: row.docsExamined ?? 0,
      returned: row.nreturned ?? row.nModified ?? 0,
      ms: row.millis,
    }))
}

/** MongoDB tells the same plan once for each value that is looked for. */
function shortened(plan: string): string {
  const parts = plan.split(/, (?=[A-Z])/)
  return [...new Set(parts)].map(part => times(parts.filter(each => each === part).length, part)).join(', ')
}

const times = (count: number, what: string) => (count === 1 ? what : `${count} × ${what}`)

/** Answers the supervisors, each of whom has a team. */
async function fill(database: mongoose.mongo.Db): Promise<PersonSnapshot[]> {
  const playlists = Array.from({ length: playlistCount }, (_, index) => ({
    _id: newId(),
    title: `Playlist ${index}`,
    created_by: newId(),
    shared_with: [],
    videos: Array.from({ length: videosEach }, (_, video) => ({
      id: `v${video}`,
      title: `Video ${video}`,
      duration: videoLengthS,
      unavailable: false,
    })),
  }))
  await insert(database, 'playlists', playlists)
  const supervisors = Array.from({ length: teams }, () => makePersonSnapshot({ role: 'supervisor' }))
  await insert(database, 'people', supervisors.map(storedPerson))
  const now = Date.now()
  const rows = { people: [] as object[], assignments: [] as object[], watchers: [] as object[] }
  const flush = async () => {
    for (const [name, documents] of Object.entries(rows)) await insert(database, name, documents.splice(0))
  }
  for (const [index, supervisor] of supervisors.entries()) {
    for (let member = 0; member < teamSize; member += 1) {
      const person = makePersonSnapshot({ role: 'user', supervisor_id: supervisor.id })
      rows.people.push(storedPerson(person))
      const own = Array.from(
        { length: playlistsEach },
        (_, each) => playlists[(index + member + each) % playlistCount]!,
      )
      for (const { _id: playlist_id } of own) {
        const _id = `${person.id}:${playlist_id}`
        rows.assignments.push({ _id, person_id: person.id, playlist_id, assigned: true, at: new Date(now) })
      }
      const keys = own.flatMap(playlist => playlist.videos.map(video => videoKey(playlist._id, video.id)))
      rows.watchers.push(storedWatcher(person.id, keys, now))
    }
    if (rows.watchers.length >= insertAtOnce) await flush()
  }
  await flush()
  return supervisors
}

function storedPerson({ id, ...fields }: PersonSnapshot) {
  return { _id: id, ...fields, name_key: nameKey(fields.name) }
}

/** As the engagement service stores one who has watched more or less of everything. */
function storedWatcher(personId: string, keys: readonly string[], now: number) {
  const videos = keys.map((key, index): [string, VideoWatch] => {
    const watched = (videoLengthS * ((index * 37) % 101)) / 100
    const completedAt = watched >= 0.9 * videoLengthS ? now - index * 3_600_000 : null
    const notes = index % 7 === 0 ? { skipped: { times: 2, seconds: 45 } } : {}
    const intervals: VideoWatch['intervals'] =
      watched > 20
        ? [
            [0, watched - 15],
            [watched - 5, watched],
          ]
        : []
    return [
      key,
      { intervals, watchTime: watched, duration: videoLengthS, notes, completedAt, lastReportAt: now - index * 60_000 },
    ]
  })
  return {
    _id: personId,
    version: keys.length,
    balance: 0,
    holds: [],
    forgottenTo: 0,
    waiting: [],
    anchors: [],
    seen: [],
    videos: Object.fromEntries(videos),
  }
}

export function dashboardTables({ people, records, calls, plans }: DashboardFigures): string {
  return [
    `${records} records of ${people} people`,
    '',
    '| call | calls | p50 ms | p99 ms | bytes | errors |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...calls.map(
      each =>
        `| ${each.name} | ${each.calls} | ${shown(each.p50Ms, 1)} | ${shown(each.p99Ms, 1)} | ${each.bytes} | ${each.errors} |`,
    ),
    '',
    planTable(plans),
  ].join('\n')
}

export function planTable(plans: readonly Plan[]): string {
  return [
    '| call | collection | plan | documents examined | returned |',
    '| --- | --- | --- | ---: | ---: |',
    ...plans.map(each => `| ${each.call} | ${each.collection} | ${each.plan} | ${each.examined} | ${each.returned} |`),
  ].join('\n')
}
