import { limits } from '@watchline/contracts/limits'
import { type OnlineUser, listOnline as operation } from '@watchline/contracts/presence'
import type { Person } from '@watchline/identity/people'
import { staffKey } from '@watchline/identity/people-groups'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { subordinates } from '../actions/find-subordinates.ts'
import type { PlaybackContext } from '../context.ts'
import { allStaffKey, everybodyKey, keysOfSight, ownKey } from '../rules/presence-visibility.ts'
import { firstOf, type Sighted } from '../store/online-people.ts'

/** How many come before: of an order that changes all the time, no row is a place. */
const place = z.number().int().min(0)

export const listOnline = defineRoute(
  operation,
  async ({ query, person }, ctx: PlaybackContext) => {
    const offset = readCursor(query.cursor, place) ?? 0
    const { below, beside, current, inScope } = await sightOf(ctx, person)
    const end = offset + query.limit
    const online = below.length + beside.length
    const monitoring = watching(below) + watching(beside)
    const page = firstOf(below, beside, end).slice(offset)
    const users = await Promise.all(page.map(each => present(ctx, each)))
    return new Reply(
      {
        total_online: online,
        active_count: online - monitoring,
        monitoring_count: monitoring,
        total_users: inScope ?? (await ctx.people.count()),
        users: users.filter(each => each !== undefined),
      },
      {
        untagged: !current,
        headers: pageHeaders({ total: online, next: end < online ? end : undefined }),
      },
    )
  },
  {
    versions: {
      // Who sees whom comes from memory, which may be a moment older than what was raised; times of activity, a playlist's new title and
      // silence within a session raise nothing. All of it is at most this old.
      maxAgeMs: limits.onlineFreshMs,
      keys: ({ person }, { people }) => [...keysOfSight(person), people.versionKey],
    },
  },
)

interface Sight {
  /** Latest activity first: their own people, or everybody; and the staff. */
  below: readonly Sighted[]
  beside: readonly Sighted[]
  /** A reading that is shared may be older than the versions the answer would be known by. */
  current: boolean
  /** How many there are to be seen; undefined is everybody. */
  inScope: number | undefined
}

/** Their own people and all of the staff; for those above, everybody. */
async function sightOf(ctx: PlaybackContext, person: Person): Promise<Sight> {
  const own = await subordinates(ctx, person)
  const known = ctx.people.versionKey
  if (!own) {
    const { all, current } = await ctx.board.everybody([everybodyKey, known])
    return { below: all, beside: [], current, inScope: undefined }
  }
  const staff = (await ctx.groups.get(staffKey)) ?? []
  const trainees = own.filter(each => each.role === 'user')
  const [below, beside] = await Promise.all([
    ctx.board.of(trainees, [ownKey(person.id), known]),
    ctx.board.of(staff, [allStaffKey, known]),
  ])
  return {
    below: below.all,
    beside: beside.all,
    current: below.current && beside.current,
    inScope: trainees.length + staff.length,
  }
}

function watching(people: readonly Sighted[]): number {
  return people.reduce((count, each) => count + (each.lock ? 1 : 0), 0)
}

async function present(ctx: PlaybackContext, sighted: Sighted): Promise<OnlineUser | undefined> {
  const { personId, lock } = sighted
  const [person, playlist] = await Promise.all([
    ctx.people.get(personId),
    lock && ctx.playlists.cached.get(lock.playlistId),
  ])
  if (!person) return undefined
  return {
    session_id: lock?.sid ?? sighted.sid,
    user_id: personId,
    name: person.name,
    email: person.email,
    picture: person.picture,
    role: person.role,
    user_role: person.role,
    supervisor_id: person.supervisorId,
    status: lock ? 'monitoring' : 'active',
    login_time: new Date(sighted.loginTime).toISOString(),
    last_activity: new Date(Math.max(sighted.lastActivity, lock?.heardAt ?? 0)).toISOString(),
    current_playlist: playlist ? { id: playlist.id, title: playlist.title } : null,
  }
}
