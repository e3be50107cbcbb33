import type { PlayerAdapter, ProviderEvent, ProviderListener } from '../../src/features/player/adapters/adapter.ts'
import { type CaptionChoice, type Captions, noCaptions } from '../../src/features/player/adapters/captions.ts'
import type { SessionVideo } from '../../src/features/player/session-playlist.ts'
import { createSubscribable } from '../../src/ui/hooks/subscribable.ts'

/** Players that record their calls. The test emits their events. */
export function createFakeAdapters() {
  const created: FakeAdapter[] = []
  return {
    created,
    get last(): FakeAdapter {
      return created.at(-1)!
    },
    create(provider: SessionVideo['provider'], listener: ProviderListener): PlayerAdapter {
      const adapter = new FakeAdapter(provider, listener)
      created.push(adapter)
      return adapter
    },
  }
}

export class FakeAdapter implements PlayerAdapter {
  readonly provider: SessionVideo['provider']
  readonly calls: string[] = []
  currentTime = 0
  loadedDuration = 60
  loadNumber = 0
  sound = ''
  currentRate = 1
  captionChoice = ''
  readonly captions = createSubscribable<Captions>(noCaptions)
  readonly listener: ProviderListener

  constructor(provider: SessionVideo['provider'], listener: ProviderListener) {
    this.provider = provider
    this.listener = listener
  }

  emit(event: ProviderEvent['type'] | ProviderEvent, load = this.loadNumber): void {
    this.listener(typeof event === 'string' ? ({ type: event } as ProviderEvent) : event, load)
  }

  load(video: SessionVideo, startAt: number, load: number): void {
    this.calls.push(`load ${video.id}@${startAt}`)
    this.currentTime = startAt
    this.loadedDuration = video.duration
    this.loadNumber = load
  }
  play(): void {
    this.calls.push('play')
  }
  pause(): void {
    this.calls.push('pause')
  }
  seek(seconds: number): void {
    this.calls.push(`seek ${seconds}`)
    this.currentTime = seconds
  }
  position(): number {
    return this.currentTime
  }
  duration(): number {
    return this.loadedDuration
  }
  rate(): number {
    return this.currentRate
  }
  setSound(volume: number, muted: boolean): void {
    this.sound = muted ? 'off' : `${volume * 100}%`
  }
  setRate(rate: number): void {
    this.currentRate = rate
  }
  setCaptions({ captions, language }: CaptionChoice): void {
    this.captionChoice = captions ? (language ?? 'on') : 'off'
  }
  destroy(): void {
    this.calls.push('destroy')
  }
}
