import { type RefObject, useEffect, useRef, useState } from 'react'
import { createSubscribable, type Subscribable } from '../../../ui/subscribable.ts'
import type { PlayerAdapter, ProviderListener } from '../adapters/adapter.ts'
import { createFileAdapter } from '../adapters/file.ts'
import { createYouTubeAdapter } from '../adapters/youtube.ts'
import { createPlayerOutbox, type PlayerOutbox } from '../outbox/player-outbox.ts'
import { type PlayerApi, playerApi, type TrackType } from '../player-api.ts'
import type { SessionLaunch, SessionPerson, SessionPlaylist, SessionVideo } from '../session-playlist.ts'
import { createSessionRunner, type SessionRunner } from './session-runner.ts'

export type AdapterFactory = (
  provider: SessionVideo['provider'],
  host: HTMLElement,
  listener: ProviderListener,
) => PlayerAdapter

export interface SessionInput {
  playlist: SessionPlaylist
  person: SessionPerson
  launch?: SessionLaunch | undefined
  api?: PlayerApi | undefined
  createAdapter?: AdapterFactory | undefined
  /** Calls back when another session may have taken the monitoring lock. */
  onTakenOver?: ((listener: () => void) => () => void) | undefined
}

export interface Session {
  runner: SessionRunner
  outbox: PlayerOutbox
  reported: Subscribable<Reported | undefined>
}

/** A report of playback that the server has taken: a new object each time. */
export interface Reported {
  type: TrackType
  videoId: string
}

const adapterOf: AdapterFactory = (provider, host, listener) =>
  provider === 'youtube' ? createYouTubeAdapter(host, listener) : createFileAdapter(host, listener)

/** One session for as long as playlist and person stay the same; leaving the screen leaves the session. */
export function useSession(host: RefObject<HTMLElement | null>, input: SessionInput): Session | undefined {
  const latest = useRef(input)
  latest.current = input
  const [session, setSession] = useState<Session>()
  const { id: playlistId } = input.playlist
  const { id: personId } = input.person

  // biome-ignore lint/correctness/useExhaustiveDependencies: a refetched playlist or a new api object is no new session
  useEffect(() => {
    const { playlist, launch, api = playerApi, createAdapter = adapterOf, onTakenOver } = latest.current
    const outbox = createPlayerOutbox({
      personId,
      api,
      locks: navigator.locks as LockManager | undefined,
      online: navigator.onLine,
    })
    const runner = createSessionRunner({
      playlist,
      launch,
      api,
      outbox,
      createAdapter: (provider, listener) => createAdapter(provider, host.current!, listener),
      tabMemory: window.sessionStorage,
      online: navigator.onLine,
      hidden: document.visibilityState === 'hidden',
    })
    const reported = createSubscribable<Reported | undefined>(undefined)
    const stopNoting = outbox.onAnswered((call, answer) => {
      if (call.kind === 'track' && answer.ok) reported.set({ type: call.body.event_type, videoId: call.body.video_id })
    })
    const stopWatching = watchPage(runner, outbox)
    const stopHearing = onTakenOver?.(runner.confirmLock)
    setSession({ runner, outbox, reported })
    runner.start()
    return () => {
      stopWatching()
      stopHearing?.()
      stopNoting()
      runner.send({ type: 'leave' })
      outbox.close()
      setSession(undefined)
    }
  }, [playlistId, personId])

  return session
}

function watchPage(runner: SessionRunner, outbox: PlayerOutbox): () => void {
  const seen = () => runner.send({ type: document.visibilityState === 'hidden' ? 'hidden' : 'visible' })
  const gone = () => runner.send({ type: 'hidden' })
  const online = () => {
    runner.send({ type: 'online' })
    void outbox.flush()
  }
  const offline = () => runner.send({ type: 'offline' })
  document.addEventListener('visibilitychange', seen)
  window.addEventListener('pagehide', gone)
  window.addEventListener('pageshow', seen)
  window.addEventListener('online', online)
  window.addEventListener('offline', offline)
  return () => {
    document.removeEventListener('visibilitychange', seen)
    window.removeEventListener('pagehide', gone)
    window.removeEventListener('pageshow', seen)
    window.removeEventListener('online', online)
    window.removeEventListener('offline', offline)
  }
}
