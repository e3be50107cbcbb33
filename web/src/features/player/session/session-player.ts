import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { PlayerAdapter, ProviderListener } from '../adapters/adapter.ts'
import { type CaptionChoice, type Captions, noCaptions } from '../adapters/captions.ts'
import type { Reading } from '../machine/playback-types.ts'
import type { SessionVideo } from '../session-playlist.ts'

export type CreateAdapter = (provider: SessionVideo['provider'], listener: ProviderListener) => PlayerAdapter

export interface SessionPlayer
  extends Pick<
    PlayerAdapter,
    'load' | 'play' | 'pause' | 'seek' | 'setSound' | 'setRate' | 'captions' | 'setCaptions' | 'destroy'
  > {
  /** Undefined until the loaded video is cued. */
  reading(): Reading | undefined
}

/**
 * The player of a session. Each provider has an adapter of its own, and every new one gets the
 * person's choices.
 */
export function createSessionPlayer(createAdapter: CreateAdapter, listener: ProviderListener): SessionPlayer {
  let adapter: PlayerAdapter | undefined
  let stopCaptions: (() => void) | undefined
  let loaded = 0
  let cued = false
  let sound: { volume: number; muted: boolean } | undefined
  let rate = 1
  let choice: CaptionChoice | undefined
  const captions = createSubscribable<Captions>(noCaptions)

  function adapterFor(provider: SessionVideo['provider']): PlayerAdapter {
    if (adapter?.provider === provider) return adapter
    destroy()
    const created = createAdapter(provider, (event, load) => {
      if (load === loaded && (event.type === 'cued' || event.type === 'playing')) cued = true
      listener(event, load)
    })
    if (sound) created.setSound(sound.volume, sound.muted)
    if (rate !== 1) created.setRate(rate)
    if (choice) created.setCaptions(choice)
    const showCaptions = () => captions.set(created.captions.get())
    showCaptions()
    stopCaptions = created.captions.subscribe(showCaptions)
    adapter = created
    return created
  }

  function destroy(): void {
    stopCaptions?.()
    adapter?.destroy()
    adapter = undefined
  }

  return {
    load(video, startAt, load) {
      loaded = load
      cued = false
      adapterFor(video.provider).load(video, startAt, load)
    },
    play: () => adapter?.play(),
    pause: () => adapter?.pause(),
    seek: seconds => adapter?.seek(seconds),
    reading: () =>
      adapter && cued
        ? { position: adapter.position(), duration: adapter.duration(), rate: adapter.rate() }
        : undefined,
    setSound(volume, muted) {
      sound = { volume, muted }
      adapter?.setSound(volume, muted)
    },
    setRate(newRate) {
      rate = newRate
      adapter?.setRate(newRate)
    },
    captions: captions as Subscribable<Captions>,
    setCaptions(newChoice) {
      choice = newChoice
      adapter?.setCaptions(newChoice)
    },
    destroy,
  }
}
