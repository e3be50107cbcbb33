import { randomUUID } from 'node:crypto'
import type { Answer } from '@watchline/testing/browser'
import type { Lane } from './pace.ts'
import { kindOf, type Tally } from './tally.ts'
import { type Lead, videoId, type Watcher } from './watchers.ts'

/** Called by every watcher. */
const ofWatchers = {
  'save-progress': ({ member, playlistId, play }: Watcher) =>
    member.browser.call('POST', '/session/save-progress', {
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
  'notifications poll': ({ member }: Watcher) => member.browser.call('GET', '/notifications'),
  'chat poll': ({ member }: Watcher) => member.browser.call('GET', '/chat/unread-count'),
  'comments poll': ({ member, playlistId }: Watcher) =>
    member.browser.call('GET', `/comments/${playlistId}/${videoId}?limit=50`),
  'task poll': ({ member }: Watcher) => member.browser.call('GET', '/playlists/today'),
  'profile read': ({ member }: Watcher) => member.browser.call('GET', '/auth/profile'),
}

let answered = 0

/** Called by every supervisor. */
const ofSupervisors = {
  'chat answer': ({ watchers }: Lead, phase: string) =>
    watchers[answered++ % watchers.length]!.conversation.send('supervisor', phase),
  /** Gives one of the team a playlist, and takes it from them again the next time. */
  assignment: async ({ supervisor, watchers, extra }: Lead) => {
    const { member } = watchers[extra.turn % watchers.length]!
    const method = extra.assigned ? 'DELETE' : 'PUT'
    const answer = await supervisor.browser.call(method, `/playlists/${extra.playlistId}/assign`, {
      assigned_users: [member.id],
    })
    if (answer.status !== 200) return answer
    if (extra.assigned) extra.turn += 1
    extra.assigned = !extra.assigned
    return answer
  },
  'online poll': ({ supervisor }: Lead) => supervisor.browser.call('GET', '/users/online'),
}

export type Operation = keyof typeof ofWatchers | keyof typeof ofSupervisors

/** Calls a second of each operation, all who make it together. */
export type Rates = Partial<Record<Operation, number>>

/** One lane a person and operation, so that nobody does the same twice at once. */
export function lanesOf(leads: readonly Lead[], rates: Rates, tally: Tally, phase: () => string): Lane[] {
  const lane = (operation: Operation, everyMs: number, call: (phase: string) => Promise<Answer>): Lane => ({
    everyMs,
    step: async dueAt => {
      const now = phase()
      try {
        const { status } = await call(now)
        if (status >= 200 && status < 300) tally.answered(now, operation, performance.now() - dueAt)
        else tally.failed(now, operation, `status ${status}`)
      } catch (error) {
        tally.failed(now, operation, kindOf(error))
      }
    },
  })
  const watchers = leads.flatMap(lead => lead.watchers)
  return Object.entries(rates).flatMap(([name, perS]) => {
    if (!perS) return []
    if (name in ofWatchers) {
      const call = ofWatchers[name as keyof typeof ofWatchers]
      const everyMs = (watchers.length / perS) * 1_000
      return watchers.map(each => lane(name as Operation, everyMs, now => call(each, now)))
    }
    const call = ofSupervisors[name as keyof typeof ofSupervisors]
    const everyMs = (leads.length / perS) * 1_000
    return leads.map(each => lane(name as Operation, everyMs, now => call(each, now)))
  })
}
