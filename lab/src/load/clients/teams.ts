import type { Browser } from '@watchline/testing/browser'
import { until } from '../../../../tools/src/provision/wait.ts'
import { mapInBatches } from '../../shared/concurrency.ts'
import type { Member, Organisation, Team } from '../../shared/organisation.ts'
import { type Conversation, createConversation } from './conversation.ts'
import { createPlay, type Play } from './play.ts'
import { repeatRefused } from './tally.ts'

/** Longer than any run. */
const videoS = 12 * 3_600
export const videoId = 'lesson'
/** For the warm-up of new processes. Its reports earn no credit and affect no measurement. */
export const warmUpVideoId = 'warm-up'
const playersAtOnce = 8
const limitMs = 5 * 60_000

/** A trainee with a playlist open in the player. */
export interface Watcher {
  member: Member
  playlistId: string
  play: Play
  /** With the supervisor. */
  conversation: Conversation
}

export interface WatchingTeam {
  supervisor: Member
  /** The playlist that the team watches. */
  playlistId: string
  watchers: Watcher[]
  /** A playlist that is assigned to one watcher after the other, and unassigned in between. */
  extraPlaylist: { id: string; nextWatcher: number; isAssigned: boolean }
}

/** Assigns a playlist to every team. All trainees acquire the monitoring lock. */
export async function openPlayers({ teams }: Organisation): Promise<WatchingTeam[]> {
  const watchingTeams: WatchingTeam[] = []
  for (const team of teams) watchingTeams.push(await openPlayersOfTeam(team))
  return watchingTeams
}

export async function openPlayersOfTeam(team: Team): Promise<WatchingTeam> {
  const watchingTeam = await assignPlaylists(team)
  watchingTeam.watchers = await mapInBatches(team.trainees, playersAtOnce, async member => {
    const watcher = createWatcher(watchingTeam, member)
    await acquireLock(member.browser, watcher.playlistId)
    return watcher
  })
  return watchingTeam
}

export function createWatcher({ supervisor, playlistId }: WatchingTeam, member: Member): Watcher {
  return {
    member,
    playlistId,
    play: createPlay(member.browser, playlistId, videoId),
    conversation: createConversation(member, supervisor),
  }
}

/** A team that does not watch yet. */
export async function assignPlaylists({ supervisor, trainees }: Team): Promise<WatchingTeam> {
  const makeVideo = (id: string, duration: number) => ({
    provider: 'file',
    id,
    url: `/media/${id}.webm`,
    title: `The ${id}`,
    duration,
  })
  const createPlaylist = async (title: string) => {
    const videos = [makeVideo(videoId, videoS), makeVideo(warmUpVideoId, 60)]
    const { id } = await must(supervisor.browser, 'POST', '/playlists', { title, description: '', videos })
    return id as string
  }
  const playlistId = await createPlaylist(`For the team of ${supervisor.name}`)
  const extraPlaylistId = await createPlaylist(`Besides, by ${supervisor.name}`)
  const assigned_users = trainees.map(({ id }) => id)
  // Retries until playback-session knows the team.
  await until(() => must(supervisor.browser, 'PUT', `/playlists/${playlistId}/assign`, { assigned_users }), {
    condition: 'a playlist is assigned',
    limitMs,
  })
  const extraPlaylist = { id: extraPlaylistId, nextWatcher: 0, isAssigned: false }
  return { supervisor, playlistId, watchers: [], extraPlaylist }
}

/** The body of the call that starts monitoring. */
export const startMonitoringBody = (playlistId: string) => ({
  is_monitoring: true,
  playlist_id: playlistId,
  current_video_id: videoId,
  current_video_index: 0,
  video_progress: 0,
})

/** Acquires the lock as a player does, and waits until all services know person and playlist. */
async function acquireLock(browser: Browser, playlistId: string) {
  await until(() => must(browser, 'POST', '/session/monitoring', startMonitoringBody(playlistId)), {
    condition: 'the lock is acquired',
    limitMs,
  })
  await until(() => must(browser, 'GET', `/engagement/watched/${playlistId}`), {
    condition: 'engagement knows the assignment',
    limitMs,
  })
  await until(() => must(browser, 'GET', '/chat/unread-count'), { condition: 'chat knows the person', limitMs })
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape pass here
export async function must(browser: Browser, method: string, path: string, body?: unknown): Promise<any> {
  const { status, json } = await repeatRefused(() => browser.call(method, path, body))
  if (status < 200 || status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
  return json ?? {}
}
