import type { Browser } from '@watchline/testing/browser'
import { until } from '../../../../tools/src/provision/wait.ts'
import type { Member, Organisation, Team } from '../../shared/organisation.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { createPlay, type Play } from './play.ts'

/** Long enough for every run. */
const videoS = 12 * 3_600
export const videoId = 'lesson'
/** Reports of it earn nothing and disturb nobody: for processes that are just started. */
export const warmUpVideoId = 'warm-up'
const atOnce = 8

/** A trainee with a playlist open in the player. */
export interface Watcher {
  member: Member
  playlistId: string
  play: Play
  /** With their supervisor; the supervisor's side is another's to use. */
  conversation: Conversation
}

export interface Lead {
  supervisor: Member
  watchers: Watcher[]
  /** A playlist that is assigned and taken away again, and to whom of the team next. */
  extra: { playlistId: string; turn: number; assigned: boolean }
}

/** Gives every team something to watch; everybody in it holds the monitoring lock then. */
export async function openPlayers({ teams }: Organisation): Promise<Lead[]> {
  const leads: Lead[] = []
  for (const team of teams) leads.push(await openTeam(team))
  return leads
}

async function openTeam({ supervisor, trainees }: Team): Promise<Lead> {
  const file = (id: string, duration: number) => ({
    provider: 'file',
    id,
    url: `/media/${id}.webm`,
    title: `The ${id}`,
    duration,
  })
  const create = async (title: string) => {
    const videos = [file(videoId, videoS), file(warmUpVideoId, 60)]
    const { id } = await must(supervisor.browser, 'POST', '/playlists', { title, description: '', videos })
    return id as string
  }
  const playlistId = await create(`For the team of ${supervisor.name}`)
  const extra = { playlistId: await create(`Besides, by ${supervisor.name}`), turn: 0, assigned: false }
  const assigned_users = trainees.map(each => each.id)
  // Until the service has heard who the team are.
  await until(() => must(supervisor.browser, 'PUT', `/playlists/${playlistId}/assign`, { assigned_users }), {
    condition: 'a playlist is assigned',
    limitMs: 30_000,
  })
  const watchers: Watcher[] = []
  for (let at = 0; at < trainees.length; at += atOnce)
    watchers.push(
      ...(await Promise.all(
        trainees.slice(at, at + atOnce).map(async member => {
          await takeLock(member.browser, playlistId)
          return {
            member,
            playlistId,
            play: createPlay(member.browser, playlistId, videoId),
            conversation: createConversation(member, supervisor),
          }
        }),
      )),
    )
  return { supervisor, watchers, extra }
}

/** As a player does before it starts; what it needs may have to arrive first. */
async function takeLock(browser: Browser, playlistId: string) {
  const monitoring = {
    is_monitoring: true,
    playlist_id: playlistId,
    current_video_id: videoId,
    current_video_index: 0,
    video_progress: 0,
  }
  const limitMs = 30_000
  await until(() => must(browser, 'POST', '/session/monitoring', monitoring), {
    condition: 'the lock is held',
    limitMs,
  })
  await until(() => must(browser, 'GET', `/engagement/watched/${playlistId}`), { condition: 'it is known', limitMs })
  await until(() => must(browser, 'GET', '/chat/unread-count'), { condition: 'chat knows them', limitMs })
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape pass here
export async function must(browser: Browser, method: string, path: string, body?: unknown): Promise<any> {
  const { status, json } = await browser.call(method, path, body)
  if (status < 200 || status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
  return json ?? {}
}
