import type { SessionVideo } from '../session-playlist.ts'

export type ProviderEvent =
  /** The provider's player exists. */
  | { type: 'ready' }
  /** The video of this load stands at its start position and may be played. */
  | { type: 'cued' }
  | { type: 'playing' }
  | { type: 'paused' }
  | { type: 'buffering' }
  | { type: 'ended' }
  /** The browser refused to start without a press of the viewer's. */
  | { type: 'blocked' }
  /** `unavailable`: this video can never play here. `network`: it could not be reached just now. */
  | { type: 'error'; code: number; unavailable: boolean; network: boolean; reason: string }

/** `load` is the number given to `load()`: events of an earlier video can be told apart and dropped. */
export type ProviderListener = (event: ProviderEvent, load: number) => void

/** One provider's player inside a host element. Positions and durations are seconds; before anything is known they are 0. */
export interface PlayerAdapter {
  readonly provider: SessionVideo['provider']
  /** Shows the video standing at `startAt` and raises `cued`; never starts it. */
  load(video: SessionVideo, startAt: number, load: number): void
  play(): void
  pause(): void
  seek(seconds: number): void
  position(): number
  duration(): number
  rate(): number
  destroy(): void
}
