import type { LiveStore } from '@watchline/kit/live/live-store'
import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import { newId } from '@watchline/kit/mongo/database'
import { makePersonSnapshot } from '@watchline/testing/harness'
import { insertDocuments, toProjectedPerson } from '../../shared/documents.ts'
import type { BenchOptions } from '../bench-options.ts'
import type { BenchWorld } from '../bench-world.ts'
import type { Poll } from './compare-polls.ts'

const itemCount = 100
const teamSize = 10
const commentText = 'I did not understand why the valve has to be shut first.'

const online = { teams: 4_500, otherStaff: 500, callers: 20, reportsAtOnce: 1_000 }

type Log = BenchOptions['log']

export async function prepareNotificationsPoll(world: BenchWorld, log: Log): Promise<Poll> {
  log(`— ${itemCount} notifications`)
  const supervisor = world.addPerson('supervisor')
  const now = Date.now()
  const notifications = Array.from({ length: itemCount }, (_, index) => {
    const person = { id: newId(), name: `Trainee ${index}` }
    const isPending = index % 3 === 0
    const time = new Date(now - index * 60_000)
    const kind = isPending ? 'comment_to_approve' : 'video_completed'
    return {
      _id: newId(),
      recipient_id: supervisor.id,
      kind,
      facts: {
        kind,
        people: [person],
        happenings: 1,
        count: 1,
        playlist: { id: newId(), title: 'Safety at work' },
        video: { id: 'v0', title: `Video ${index}` },
        ...(isPending && { timestamp: index, text: commentText }),
      },
      is_read: index % 2 === 0,
      ...(isPending && { approval: 'pending', comment_id: newId(), author_id: person.id }),
      created_at: time,
      updated_at: time,
    }
  })
  await insertDocuments(world.client.db(`${world.prefix}-notification`), 'notifications', notifications)
  const service = await world.startService('notification')
  return {
    name: `/notifications, ${itemCount}`,
    service: { ...service, name: 'notification' },
    path: '/api/notifications',
    tokens: [world.signToken(supervisor)],
  }
}

export async function prepareCommentsPoll(world: BenchWorld, log: Log): Promise<Poll> {
  log(`— ${itemCount} comments`)
  const supervisor = world.addPerson('supervisor')
  const team = Array.from({ length: teamSize }, () => world.addPerson('user', { supervisor_id: supervisor.id }))
  const playlistId = newId()
  const database = world.client.db(`${world.prefix}-engagement`)
  await insertDocuments(database, 'playlists', [
    {
      _id: playlistId,
      title: 'Safety at work',
      created_by: supervisor.id,
      shared_with: [],
      revision: 1,
      videos: [{ id: 'v0', title: 'Valves', duration: 3_600, unavailable: false }],
      removed: [],
    },
  ])
  const comments = Array.from({ length: itemCount }, (_, index) => {
    const author = team[index % team.length]!
    return {
      _id: newId(),
      playlist_id: playlistId,
      video_id: 'v0',
      person_id: author.id,
      author_name: author.name,
      author_role: author.role,
      timestamp: index * 30,
      text: commentText,
      created_at: new Date(Date.now() - index * 1_000),
    }
  })
  await insertDocuments(database, 'comments', comments)
  const service = await world.startService('engagement')
  return {
    name: `/comments, ${itemCount}`,
    service: { ...service, name: 'engagement' },
    path: `/api/comments/${playlistId}/v0`,
    tokens: [world.signToken(supervisor)],
  }
}

/** All people of a large organisation are online. Supervisors request their team and all staff. */
export async function prepareOnlinePoll(world: BenchWorld, log: Log): Promise<Poll> {
  const supervisors = Array.from({ length: online.teams }, () => makePersonSnapshot({ role: 'supervisor' }))
  const otherStaff = Array.from({ length: online.otherStaff }, (_, index) =>
    makePersonSnapshot({ role: index % 10 ? 'manager' : 'director' }),
  )
  const trainees = supervisors.flatMap(({ id }) =>
    Array.from({ length: teamSize }, () => makePersonSnapshot({ role: 'user', supervisor_id: id })),
  )
  const people = [...supervisors, ...otherStaff, ...trainees]
  log(`— ${people.length} people online`)
  await insertDocuments(world.client.db(`${world.prefix}-playback-session`), 'people', people.map(toProjectedPerson))
  const live = createRedisLiveStore({ url: world.redisUrl, prefix: `${world.prefix}:`, owner: 'playback-session' })
  world.onStop(() => live.close())
  const service = await world.startService('playback-session')
  const callers = supervisors
    .filter((_, index) => index % Math.floor(online.teams / online.callers) === 0)
    .slice(0, online.callers)
  return {
    name: `/users/online, a supervisor’s of ${people.length} online`,
    service: { ...service, name: 'playback' },
    path: '/api/users/online',
    tokens: callers.map(supervisor => world.signToken(supervisor)),
    // These people make no calls. A report from after the round keeps them online until its end.
    prepareRound: async () => {
      const roundEnd = Date.now() + 60_000
      for (let first = 0; first < people.length; first += online.reportsAtOnce) {
        const reports = people.slice(first, first + online.reportsAtOnce).map(({ id }, index) => ({
          personId: id,
          sid: `sid-${id}`,
          loginTime: roundEnd,
          at: roundEnd + index,
        }))
        await live.presence.report(reports)
      }
      await waitForPublishedPresence(live)
    },
  }
}

/** Waits until the service has published all arrivals, so that the version of the list stays. */
async function waitForPublishedPresence(live: LiveStore): Promise<void> {
  for (let lastVersion = -1; ; ) {
    const [version] = await live.versions.get(['online:all'])
    if (version === lastVersion) return
    lastVersion = version!
    await new Promise(resolve => setTimeout(resolve, 2_000))
  }
}
