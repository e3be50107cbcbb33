import type { Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { SessionVideo } from '../session-playlist.ts'
import type { CaptionChoice, Captions } from './captions.ts'

export type ProviderEvent =
  /** The provider's player exists. */
  | { type: 'ready' }
  /** The video of this load stands at its start position and may be played. */
  | { type: 'cued' }
  | { type: 'playing' }
  | { type: 'paused' }
  | { type: 'buffering' }
  | { type: 'ended' }
  /** The browser refused to start without a press of the viewer. */
  | { type: 'blocked' }
  /** `unavailable`: this video can never play here. `network`: it is unreachable at present. */
  | { type: 'error'; code: number; unavailable: boolean; network: boolean; reason: string }

/** `load` is the number passed to `load()`, so that events of an earlier video can be dropped. */
export type ProviderListener = (event: ProviderEvent, load: number) => void

/** One provider's player inside a host element. Positions and durations are seconds; 0: unknown. */
export interface PlayerAdapter {
  readonly provider: SessionVideo['provider']
  /** Shows the video at `startAt` and reports `cued`. Never starts it. */
  load(video: SessionVideo, startAt: number, load: number): void
  play(): void
  pause(): void
  seek(seconds: number): void
  position(): number
  duration(): number
  rate(): number
  /** Loudness from 0 to 1. It holds for every later load, too. */
  setSound(volume: number, muted: boolean): void
  /** Playback speed, 1 is normal. It holds for every later load, too. */
  setRate(rate: number): void
  readonly captions: Subscribable<Captions>
  /** It holds for every later load, too. */
  setCaptions(choice: CaptionChoice): void
  destroy(): void
}
