import type { SessionStatus } from '@watchline/contracts/playback'
import type { ProviderEvent } from '../../src/features/player/adapters/adapter.ts'
import { applySessionEvent } from '../../src/features/player/machine/playback-machine.ts'
import { initialState } from '../../src/features/player/machine/playback-state.ts'
import type {
  Effect,
  Reading,
  SessionEvent,
  SessionState,
  TimerName,
} from '../../src/features/player/machine/playback-types.ts'
import type { SessionLaunch, SessionPlaylist, SessionVideo } from '../../src/features/player/session-playlist.ts'

export function makeSessionPlaylist(
  count = 3,
  provider: SessionVideo['provider'] = 'youtube',
  changes: Partial<SessionPlaylist> = {},
): SessionPlaylist {
  const videos = Array.from({ length: count }, (_, index) => ({
    id: `v${index}`,
    provider,
    title: `Clip ${index + 1}`,
    duration: 60,
    ...(provider === 'file' ? { url: `/clips/v${index}.webm` } : {}),
  }))
  return { id: 'p1', title: 'Safety', total_duration: count * 60, videos, ...changes }
}

/** Sends events to the machine and records its effects. */
export function createDriver(playlist = makeSessionPlaylist(), launch?: SessionLaunch) {
  let state: SessionState = initialState(playlist, launch)
  const effects: Effect[] = []
  const timers = new Set<TimerName>()
  let reading: Reading = { position: 0, duration: 0, rate: 1 }

  function send(event: SessionEvent): void {
    const result = applySessionEvent(state, event)
    state = result.state
    for (const effect of result.effects) {
      effects.push(effect)
      if (effect.type === 'start-timer') timers.add(effect.name)
      if (effect.type === 'stop-timer') timers.delete(effect.name)
      if (effect.type === 'destroy') timers.clear()
      if (effect.type === 'load') reading = { ...reading, position: effect.startAt, duration: 60 }
    }
  }

  const driver = {
    get state() {
      return state
    },
    effects,
    timers,
    send,
    moveTo(position: number) {
      reading = { ...reading, position }
      return driver
    },
    provider(event: ProviderEvent['type'] | ProviderEvent, load = state.load) {
      const full = typeof event === 'string' ? ({ type: event } as ProviderEvent) : event
      send({ type: 'provider', load, event: full, reading })
      return driver
    },
    timer(name: TimerName) {
      send({ type: 'timer', name, reading })
      return driver
    },
    lock(outcome: 'held' | 'elsewhere' | 'unanswered' = 'held', request = state.lockRequest) {
      send({ type: 'lock-answered', request, outcome })
      return driver
    },
    /** Plays second by second with ticks. */
    playTo(position: number) {
      for (let next = reading.position; next < position; ) {
        next = Math.min(position, next + 1)
        driver.moveTo(next).timer('tick')
      }
      return driver
    },
    /** Removes the recorded effects and returns them as short texts, without timers. */
    takeEffects: (): string[] => effects.splice(0).flatMap(describeEffect),
  }
  return driver
}

function describeEffect(effect: Effect): string[] {
  switch (effect.type) {
    case 'start-timer':
    case 'stop-timer':
      return []
    case 'track':
      return [`track ${effect.event} ${effect.index}@${round(effect.position)}`]
    case 'request-lock':
      return [`request-lock ${effect.index}@${round(effect.position)}${effect.takeOver ? ' take-over' : ''}`]
    case 'release-lock':
      return [`release-lock ${effect.index}@${round(effect.position)}`]
    case 'save-progress':
      return [`save ${effect.index}@${round(effect.position)}`]
    case 'load':
      return [`load ${effect.index}@${round(effect.startAt)}`]
    case 'seek':
      return [`seek ${round(effect.to)}`]
    case 'unavailable':
      return [`unavailable ${effect.index} ${effect.code}`]
    default:
      return [effect.type]
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}

/** A session that plays its first video from the start. */
export function playingDriver(playlist = makeSessionPlaylist()) {
  const driver = createDriver(playlist)
  driver.send({ type: 'start' })
  driver.send({ type: 'status-answered', status: undefined })
  driver.provider('ready').provider('cued').lock().provider('playing')
  driver.takeEffects()
  return driver
}

/** The status of a session under way; with `can_resume: false` that of a fresh playlist. */
export const makeSessionStatus = (changes: Partial<SessionStatus> = {}): SessionStatus => ({
  can_resume: true,
  current_playlist_id: 'p1',
  current_video_id: 'v1',
  current_video_index: 1,
  is_monitoring: true,
  video_progress: 25,
  ...(changes.can_resume === false && {
    current_playlist_id: null,
    current_video_id: null,
    current_video_index: 0,
    video_progress: 0,
  }),
  ...changes,
})
