import { randomUUID } from 'node:crypto'
import type { Answer } from '@watchline/testing/browser'
import { forEachConcurrently } from '../../shared/concurrency.ts'
import type { Lane } from './pace.ts'
import { countCall, type Tally } from './tally.ts'
import { videoId, type Watcher, type WatchingTeam } from './teams.ts'

/** Every watcher makes these calls. */
const watcherOperations = {
  'save-progress': ({ member, playlistId, play }: Watcher) =>
    member.browser.report('/session/save-progress', {
      playlist_id: playlistId,
      video_id: videoId,
      video_index: 0,
      progress: play.position(),
    }),
  track: ({ play }: Watcher) => play.report(),
  heartbeat: ({ member }: Watcher) => member.browser.call('POST', '/session/heartbeat'),
  comment: ({ member, playlistId }: Watcher) =>
    member.browser.call('POST', '/comments', {
      playlist_id: playlistId,
      video_id: videoId,
      timestamp: 1,
      comment: `I did not understand why the valve has to be shut first.`,
      client_id: randomUUID(),
    }),
  'chat send': ({ conversation }: Watcher, phase: string) => conversation.send('trainee', phase),
  'notifications poll': ({ member }: Watcher) => member.browser.poll('/notifications?limit=30'),
  'chat poll': ({ member }: Watcher) => member.browser.poll('/chat/unread-count'),
  'comments poll': ({ member, playlistId }: Watcher) =>
    member.browser.poll(`/comments/${playlistId}/${videoId}?limit=500`),
  'task poll': ({ member }: Watcher) => member.browser.poll('/playlists/today'),
  'profile read': ({ member }: Watcher) => member.browser.call('GET', '/auth/profile'),
  'token refresh': ({ member }: Watcher) => member.browser.call('POST', '/auth/refresh'),
}

let answerCount = 0

/** Every supervisor makes these calls. */
const supervisorOperations = {
  'chat answer': ({ watchers }: WatchingTeam, phase: string) =>
    watchers[answerCount++ % watchers.length]!.conversation.send('supervisor', phase),
  /** Assigns the extra playlist, or unassigns it the next time. */
  assignment: async ({ supervisor, watchers, extraPlaylist }: WatchingTeam) => {
    const { member } = watchers[extraPlaylist.nextWatcher % watchers.length]!
    const method = extraPlaylist.isAssigned ? 'DELETE' : 'PUT'
    const answer = await supervisor.browser.call(method, `/playlists/${extraPlaylist.id}/assign`, {
      assigned_users: [member.id],
    })
    if (answer.status !== 200) return answer
    if (extraPlaylist.isAssigned) extraPlaylist.nextWatcher += 1
    extraPlaylist.isAssigned = !extraPlaylist.isAssigned
    return answer
  },
  'team figures poll': ({ supervisor }: WatchingTeam) =>
    supervisor.browser.poll('/engagement/team?limit=50&sort=need&order=asc'),
  'member figures poll': ({ supervisor, watchers }: WatchingTeam) =>
    supervisor.browser.poll(`/engagement/team?user_ids=${watchers.map(({ member }) => member.id).join('%2C')}`),
  'finished poll': ({ supervisor }: WatchingTeam) =>
    supervisor.browser.poll('/engagement/team?progress=finished&limit=4'),
  'team members poll': ({ supervisor }: WatchingTeam) => supervisor.browser.poll('/users?limit=50'),
  'playlists poll': ({ supervisor }: WatchingTeam) => supervisor.browser.poll('/playlists?limit=500'),
  'supervisor notifications poll': ({ supervisor }: WatchingTeam) => supervisor.browser.poll('/notifications?limit=30'),
  'supervisor chat poll': ({ supervisor }: WatchingTeam) => supervisor.browser.poll('/chat/unread-count'),
  'online poll': ({ supervisor }: WatchingTeam) => supervisor.browser.poll('/users/online?limit=500'),
  'supervisor token refresh': ({ supervisor }: WatchingTeam) => supervisor.browser.call('POST', '/auth/refresh'),
}

export type Operation = keyof typeof watcherOperations | keyof typeof supervisorOperations

/** Calls a second of each operation, all callers together. */
export type Rates = Partial<Record<Operation, number>>

export function scaleRates(rates: Rates, scale: number): Rates {
  return Object.fromEntries(Object.entries(rates).map(([operation, perS]) => [operation, perS * scale]))
}

/** The callers of an operation, each with its call. */
function callsOf(operation: Operation, teams: readonly WatchingTeam[]): ((phase: string) => Promise<Answer>)[] {
  if (operation in watcherOperations) {
    const makeCall = watcherOperations[operation as keyof typeof watcherOperations]
    return teams.flatMap(({ watchers }) => watchers.map(watcher => (phase: string) => makeCall(watcher, phase)))
  }
  const makeCall = supervisorOperations[operation as keyof typeof supervisorOperations]
  return teams.map(team => phase => makeCall(team, phase))
}

/** Makes each poll once, as a page does when it opens. Later polls send the ETag of that answer. */
export async function readFirstAnswers(teams: readonly WatchingTeam[], rates: Rates): Promise<void> {
  const polls = (Object.keys(rates) as Operation[]).filter(operation => operation.endsWith(' poll'))
  const calls = polls.flatMap(operation => callsOf(operation, teams))
  await forEachConcurrently(calls, 16, makeCall => makeCall('opening'))
}

/** One lane for each caller and operation, so that no caller makes two equal calls at once. */
export function createLanes(
  teams: readonly WatchingTeam[],
  rates: Rates,
  tally: Tally,
  currentPhase: () => string,
): Lane[] {
  const createLane = (operation: Operation, everyMs: number, makeCall: (phase: string) => Promise<Answer>): Lane => ({
    everyMs,
    run: dueAt => {
      const phase = currentPhase()
      return countCall(tally, { phase, operation, dueAt }, () => makeCall(phase))
    },
  })
  return Object.entries(rates).flatMap(([name, perS]) => {
    if (!perS) return []
    const operation = name as Operation
    const calls = callsOf(operation, teams)
    const everyMs = (calls.length / perS) * 1_000
    return calls.map(makeCall => createLane(operation, everyMs, makeCall))
  })
}
