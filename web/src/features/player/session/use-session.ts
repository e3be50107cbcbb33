import { type PlaylistWatch, track } from '@watchline/contracts/engagement'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { askBeforeSignOut, beforeSignOut } from '../../../api/before-sign-out.ts'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { PlayerAdapter, ProviderListener } from '../adapters/adapter.ts'
import { createFileAdapter } from '../adapters/file.ts'
import { createYouTubeAdapter } from '../adapters/youtube.ts'
import type { Phase } from '../machine/playback-types.ts'
import { createPlayerOutbox, type PlayerOutbox } from '../outbox/player-outbox.ts'
import { type PlayerApi, playerApi, type TrackType } from '../player-api.ts'
import type { SessionBegin, SessionLaunch, SessionPerson, SessionPlaylist, SessionVideo } from '../session-playlist.ts'
import { type AttentionChecks, createAttentionChecks } from './attention-checks.ts'
import { createMessageLocks } from './message-locks.ts'
import type { PlayedPart } from './played-parts.ts'
import { createSessionRunner, type SessionRunner } from './session-runner.ts'
import { createWindowLock } from './window-lock.ts'

export type AdapterFactory = (
  provider: SessionVideo['provider'],
  host: HTMLElement,
  listener: ProviderListener,
) => PlayerAdapter

export interface SessionInput {
  playlist: SessionPlaylist
  person: SessionPerson
  launch?: SessionLaunch | undefined
  begin?: SessionBegin | undefined
  api?: PlayerApi | undefined
  createAdapter?: AdapterFactory | undefined
  /** Subscribes to hints that another session may have acquired the monitoring lock. */
  onTakenOver?: ((listener: () => void) => () => void) | undefined
}

export interface Session {
  runner: SessionRunner
  outbox: PlayerOutbox
  latestAnswer: Subscribable<AnsweredReport | undefined>
  attentionChecks: Pick<AttentionChecks, 'shown' | 'answer'>
  /** The time of the latest report of this session, answered or not, in ms. */
  reportedAt: Subscribable<number>
  played: Subscribable<readonly PlayedPart[]>
}

/** A report of playback that the server accepted or finally refused; a new object each time. */
export interface AnsweredReport {
  type: TrackType
  /** The time of the report and of its answer, in ms of this browser's clock. */
  at: number
  answeredAt: number
  /** The credit after the report; absent after a refusal. */
  watched: PlaylistWatch | undefined
}

/** In these phases the person is watching. */
const underWay: ReadonlySet<Phase> = new Set<Phase>(['starting', 'playing', 'buffering', 'countdown'])

const createProviderAdapter: AdapterFactory = (provider, host, listener) =>
  provider === 'youtube' ? createYouTubeAdapter(host, listener) : createFileAdapter(host, listener)

/** One session while playlist and person stay the same. It ends when the screen is left. */
export function useSession(host: RefObject<HTMLElement | null>, input: SessionInput): Session | undefined {
  const latest = useRef(input)
  latest.current = input
  const [session, setSession] = useState<Session>()
  const { id: playlistId } = input.playlist
  const { id: personId } = input.person

  // biome-ignore lint/correctness/useExhaustiveDependencies: a refetched playlist is no new session
  useEffect(() => {
    const {
      playlist,
      launch,
      begin,
      api = playerApi,
      createAdapter = createProviderAdapter,
      onTakenOver,
    } = latest.current
    // React empties the reference before it ends this effect, and answers may arrive in between.
    const element = host.current!
    const locks = navigator.locks as LockManager | undefined
    const outbox = createPlayerOutbox({
      personId,
      api,
      locks,
      online: navigator.onLine,
    })
    const runner = createSessionRunner({
      playlist,
      launch,
      begin,
      api,
      outbox,
      createAdapter: (provider, listener) => createAdapter(provider, element, listener),
      openWindowLock: playback => createWindowLock(playback, { personId, locks: locks ?? createMessageLocks() }),
      tabMemory: window.sessionStorage,
      online: navigator.onLine,
      hidden: document.visibilityState === 'hidden',
    })
    const latestAnswer = createSubscribable<AnsweredReport | undefined>(undefined)
    const attentionChecks = createAttentionChecks({ api, outbox })
    if (playlist.conditions?.attention_checks) void attentionChecks.load()
    const stopReports = outbox.onAnswered((call, answer) => {
      if (call.kind !== 'track') return
      const { event_type: type, client_time: time, video_id: videoId, watch_time: position } = call.body
      const data = answer.ok ? track.response.safeParse(answer.data).data : undefined
      const answeredAt = Date.now()
      // An earlier page may have left reports of a task without checks.
      if (data && call.body.playlist_id === playlist.id) attentionChecks.readReport(data.attention_check, answeredAt)
      const at = Date.parse(time)
      latestAnswer.set({ type, at, answeredAt, watched: data?.watched })
      if (type !== 'playlist_completed' && data?.watched?.playlist_id === playlist.id)
        runner.send({ type: 'report-answered', videoId, position, reportedAt: at, watch: data.watched })
    })
    const stopWatching = watchPage(runner, outbox)
    // A report under another login session would not be credited.
    const stopSignOut = beforeSignOut(() => {
      runner.send({ type: 'suspend' })
      return outbox.flush()
    })
    const stopQuestion = askBeforeSignOut(() => underWay.has(runner.view.get().phase))
    const stopTakeOverHints = onTakenOver?.(runner.confirmLock)
    setSession({
      ...{ runner, outbox, latestAnswer, attentionChecks },
      ...{ reportedAt: runner.reportedAt, played: runner.played },
    })
    runner.start()
    return () => {
      stopWatching()
      stopSignOut()
      stopQuestion()
      stopTakeOverHints?.()
      stopReports()
      attentionChecks.close()
      runner.send({ type: 'leave' })
      outbox.close()
      setSession(undefined)
    }
  }, [playlistId, personId])

  return session
}

function watchPage(runner: SessionRunner, outbox: PlayerOutbox): () => void {
  const handleVisibility = () => runner.send({ type: document.visibilityState === 'hidden' ? 'hidden' : 'visible' })
  const handleHide = () => runner.send({ type: 'hidden' })
  const handleOnline = () => {
    runner.send({ type: 'online' })
    void outbox.flush()
  }
  const handleOffline = () => runner.send({ type: 'offline' })
  document.addEventListener('visibilitychange', handleVisibility)
  window.addEventListener('pagehide', handleHide)
  window.addEventListener('pageshow', handleVisibility)
  window.addEventListener('online', handleOnline)
  window.addEventListener('offline', handleOffline)
  return () => {
    document.removeEventListener('visibilitychange', handleVisibility)
    window.removeEventListener('pagehide', handleHide)
    window.removeEventListener('pageshow', handleVisibility)
    window.removeEventListener('online', handleOnline)
    window.removeEventListener('offline', handleOffline)
  }
}
