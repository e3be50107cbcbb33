import { type RefObject, useEffect, useState } from 'react'
import { createSubscribable } from '../../../ui/hooks/subscribable.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import { noCaptions } from '../adapters/captions.ts'
import type { SessionRunner } from '../session/session-runner.ts'
import { limitRate, stepRate } from './playback-rates.ts'
import { usePlayerSettings } from './player-settings.ts'
import type { PlayerActions } from './shortcuts.ts'
import { usePlayedRate } from './use-played-rate.ts'
import { usePlayerKeys } from './use-player-keys.ts'
import { useTheatre } from './use-theatre.ts'

const volumeStep = 0.05
/** Rounded, because twenty steps of 0.05 add up to less than 1. */
const stepVolume = (volume: number, step: -1 | 1) =>
  Math.min(1, Math.max(0, Math.round((volume + step * volumeStep) / volumeStep) * volumeStep))

const idleCaptions = createSubscribable(noCaptions)

/**
 * The actions of the player's keys and buttons, and what the person chose for them. `maxRate` is
 * the fastest playback that is credited; undefined until the server has said it.
 */
export function usePlayerControls(
  player: RefObject<HTMLElement | null>,
  runner: SessionRunner | undefined,
  maxRate = 1,
) {
  const { settings: chosen, change } = usePlayerSettings()
  const captions = useSubscribable(runner?.captions ?? idleCaptions)
  const settings = { ...chosen, rate: limitRate(chosen.rate, maxRate) }
  const theatre = useTheatre(player)
  const [showsHelp, setShowsHelp] = useState(false)
  const { volume, muted, rate, captions: showsCaptions, captionLanguage: language, shortcuts } = settings
  useEffect(() => runner?.setSound(volume, muted), [runner, volume, muted])
  useEffect(() => runner?.setRate(rate), [runner, rate])
  useEffect(() => runner?.setCaptions({ captions: showsCaptions, language }), [runner, showsCaptions, language])

  const playedRate = usePlayedRate(runner, rate)

  const actions: PlayerActions = {
    toggle: () => runner?.send({ type: 'toggle' }),
    seekBy: seconds => runner?.send({ type: 'seek', to: runner.position() + seconds }),
    skip: () => runner?.send({ type: 'skip' }),
    toggleMute: () => (volume === 0 ? change({ volume: 1, muted: false }) : change({ muted: !muted })),
    changeVolume: step => change({ volume: stepVolume(muted ? 0 : volume, step), muted: false }),
    toggleTheatre: theatre.toggle,
    toggleCaptions: () => captions.available && change({ captions: !showsCaptions }),
    toggleDescriptions: () => change({ descriptions: !settings.descriptions }),
    changeSpeed: step => change({ rate: stepRate(rate, maxRate, step) }),
    showHelp: () => setShowsHelp(true),
  }
  usePlayerKeys(player, actions, shortcuts)
  return {
    inTheatre: theatre.isOn,
    suspendTheatre: theatre.suspend,
    restoreTheatre: theatre.restore,
    actions,
    settings,
    captions,
    maxRate,
    playedRate,
    setLanguage: (language: string | undefined) =>
      change(language ? { captions: true, captionLanguage: language } : { captions: false }),
    setRate: (rate: number) => change({ rate }),
    setVolume: (volume: number) => change({ volume, muted: false }),
    help: {
      opened: showsHelp,
      enabled: shortcuts,
      onChange: (shortcuts: boolean) => change({ shortcuts }),
      onClose: () => setShowsHelp(false),
    },
  }
}
