import { limits } from '@watchline/contracts/limits'
import type { QueryOf } from '@watchline/contracts/operation'
import { type OnlineStatus, type OnlineUser, listOnline as operation } from '@watchline/contracts/presence'
import type { Person } from '@watchline/identity/people'
import { createPersonMatcher } from '@watchline/identity/person-search'
import { publicSessionId } from '@watchline/identity/public-session-id'
import { staffKey } from '@watchline/identity/teams'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { findSubordinates } from '../actions/find-subordinates.ts'
import type { PlaybackContext } from '../context.ts'
import {
  everyonePresenceKey,
  staffPresenceKey,
  teamPresenceKey,
  visiblePresenceKeys,
} from '../rules/presence-visibility.ts'
import { mergeLatestFirst, type OnlinePerson } from '../store/online-people.ts'

/**
 * The number of people before the page. The order changes all the time, so no row can be a cursor.
 */
const offsetCursor = z.number().int().min(0)

export const listOnline = defineRoute(
  operation,
  async ({ query, person }, ctx: PlaybackContext) => {
    const offset = readCursor(query.cursor, offsetCursor) ?? 0
    const { subordinates, staff, current, totalVisible } = await readVisiblePresence(ctx, person)
    const end = offset + query.limit
    const online = subordinates.length + staff.length
    const monitoring = countMonitoring(subordinates) + countMonitoring(staff)
    const [listedSubordinates, listedStaff] = await Promise.all([
      filterOnline(ctx, subordinates, query),
      filterOnline(ctx, staff, query),
    ])
    const listed = listedSubordinates.length + listedStaff.length
    const page = mergeLatestFirst(listedSubordinates, listedStaff, end).slice(offset)
    const users = await Promise.all(page.map(onlinePerson => present(ctx, onlinePerson)))
    return new Reply(
      {
        total_online: online,
        active_count: online - monitoring,
        monitoring_count: monitoring,
        total_users: totalVisible ?? (await ctx.people.count()),
        users: users.filter(user => user !== undefined),
      },
      {
        cacheable: current,
        headers: pageHeaders({ total: listed, next: end < listed ? end : undefined }),
      },
    )
  },
  {
    versions: {
      // Times of activity, new playlist titles and silence within a session bump no version, and
      // cached teams may lag behind a bump. This bounds the age of all of them.
      maxAgeMs: limits.onlineMaxAgeMs,
      keys: ({ person }, { people }) => [...visiblePresenceKeys(person), people.versionKey],
    },
  },
)

interface VisiblePresence {
  /** The caller's online people, or everyone; latest activity first. */
  subordinates: readonly OnlinePerson[]
  /** The online staff; empty if `subordinates` is everyone. */
  staff: readonly OnlinePerson[]
  /** False if a shared reading is older than the versions in the ETag. */
  current: boolean
  /** People the caller can see, online or not; undefined means all people. */
  totalVisible: number | undefined
}

/** Callers see their own trainees and all staff. Directors and the administrator see everyone. */
async function readVisiblePresence(ctx: PlaybackContext, caller: Person): Promise<VisiblePresence> {
  const subordinates = await findSubordinates(ctx, caller)
  const peopleKey = ctx.people.versionKey
  if (!subordinates) {
    const { people, current } = await ctx.onlinePeople.everyone([everyonePresenceKey, peopleKey])
    return { subordinates: people, staff: [], current, totalVisible: undefined }
  }
  const staff = (await ctx.teams.get(staffKey)) ?? []
  const trainees = subordinates.filter(person => person.role === 'user')
  const [onlineTrainees, onlineStaff] = await Promise.all([
    ctx.onlinePeople.among(trainees, [teamPresenceKey(caller.id), peopleKey]),
    ctx.onlinePeople.among(staff, [staffPresenceKey, peopleKey]),
  ])
  return {
    subordinates: onlineTrainees.people,
    staff: onlineStaff.people,
    current: onlineTrainees.current && onlineStaff.current,
    totalVisible: trainees.length + staff.length,
  }
}

/** The people who match the filters of the query, in the same order. */
async function filterOnline(
  ctx: PlaybackContext,
  online: readonly OnlinePerson[],
  { role, supervisor_id, status, search = '' }: QueryOf<typeof operation>,
): Promise<readonly OnlinePerson[]> {
  const withStatus = status === undefined ? online : online.filter(person => statusOf(person) === status)
  if (role === undefined && supervisor_id === undefined && search === '') return withStatus
  const isFound = createPersonMatcher(search)
  const people = await Promise.all(withStatus.map(({ personId }) => ctx.people.get(personId)))
  return withStatus.filter((_, index) => {
    const person = people[index]
    if (!person || (role !== undefined && person.role !== role)) return false
    return (supervisor_id === undefined || person.supervisorId === supervisor_id) && isFound(person)
  })
}

function statusOf({ lock }: OnlinePerson): OnlineStatus {
  return lock ? 'monitoring' : 'active'
}

function countMonitoring(people: readonly OnlinePerson[]): number {
  return people.filter(person => statusOf(person) === 'monitoring').length
}

async function present(ctx: PlaybackContext, onlinePerson: OnlinePerson): Promise<OnlineUser | undefined> {
  const { personId, lock, sid, loginTime, lastActivity } = onlinePerson
  const [person, playlist] = await Promise.all([
    ctx.people.get(personId),
    lock && ctx.playlists.cached.get(lock.playlistId),
  ])
  if (!person) return undefined
  return {
    session_id: publicSessionId(lock?.sid ?? sid),
    user_id: personId,
    name: person.name,
    email: person.email,
    email_verified: person.emailVerified,
    picture: person.picture,
    role: person.role,
    user_role: person.role,
    supervisor_id: person.supervisorId,
    status: statusOf(onlinePerson),
    login_time: new Date(loginTime).toISOString(),
    last_activity: new Date(Math.max(lastActivity, lock?.heardAt ?? 0)).toISOString(),
    current_playlist: playlist ? { id: playlist.id, title: playlist.title } : null,
  }
}
