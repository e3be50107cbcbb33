import { type OnlineUser, listOnline as operation } from '@watchline/contracts/playback'
import type { Person } from '@watchline/kit/people'
import { staffKey } from '@watchline/kit/people-groups'
import { defineRoute, Reply } from '@watchline/kit/route'
import type { PlaybackContext } from '../context.ts'
import type { Board, Sighted } from '../online-board.ts'
import { wrongCursor } from '../paging.ts'
import { subordinates } from '../subordinates.ts'

export const listOnline = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const offset = offsetOf(query.cursor)
  const [board, scope] = await Promise.all([ctx.board.read(), scopeOf(ctx, person)])
  const online = scope ? within(board, scope) : board.all
  const page = online.slice(offset, offset + query.limit)
  const monitoring = online.reduce((count, each) => count + (each.lock ? 1 : 0), 0)
  const users = await Promise.all(page.map(each => present(ctx, each)))
  const next = offset + query.limit
  return new Reply(
    {
      total_online: online.length,
      active_count: online.length - monitoring,
      monitoring_count: monitoring,
      total_users: scope ? scope.size : await ctx.people.count(),
      users: users.filter(each => each !== undefined),
    },
    {
      headers: {
        'X-Total-Count': String(online.length),
        ...(next < online.length && { 'X-Next-Cursor': String(next) }),
      },
    },
  )
})

/** The ids of those the caller sees: their own people and all of the staff; undefined is everyone. */
async function scopeOf(ctx: PlaybackContext, person: Person): Promise<Set<string> | undefined> {
  const own = await subordinates(ctx, person)
  if (!own) return undefined
  const staff = (await ctx.groups.get(staffKey)) ?? []
  return new Set([...own, ...staff].map(each => each.id))
}

/** Walks the smaller of the two; the order is the board's. */
function within(board: Board, scope: ReadonlySet<string>): Sighted[] {
  if (scope.size >= board.all.length) return board.all.filter(each => scope.has(each.personId))
  return [...scope].flatMap(id => board.byId.get(id) ?? []).sort((a, b) => b.lastActivity - a.lastActivity)
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

function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  return /^\d{1,9}$/.test(cursor) ? Number(cursor) : wrongCursor()
}
