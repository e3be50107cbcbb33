import { type RefObject, useEffect, useState } from 'react'
import type { SessionRunner } from '../session/session-runner.ts'
import { usePlayerSettings } from './player-settings.ts'
import type { PlayerActions } from './shortcuts.ts'
import { usePlayerKeys } from './use-player-keys.ts'
import { useTheatre } from './use-theatre.ts'

/** The actions of the player's keys and buttons, and what the person chose for them. */
export function usePlayerControls(player: RefObject<HTMLElement | null>, runner: SessionRunner | undefined) {
  const { settings, change } = usePlayerSettings()
  const theatre = useTheatre(player)
  const [showsHelp, setShowsHelp] = useState(false)
  const { volume, muted, shortcuts } = settings
  useEffect(() => runner?.setSound(volume, muted), [runner, volume, muted])

  const actions: PlayerActions = {
    toggle: () => runner?.send({ type: 'toggle' }),
    seekBy: seconds => runner?.send({ type: 'seek', to: runner.position() + seconds }),
    skip: () => runner?.send({ type: 'skip' }),
    toggleMute: () => (volume === 0 ? change({ volume: 1, muted: false }) : change({ muted: !muted })),
    toggleTheatre: theatre.toggle,
    showHelp: () => setShowsHelp(true),
  }
  usePlayerKeys(player, actions, shortcuts)
  return {
    inTheatre: theatre.isOn,
    actions,
    settings,
    setVolume: (volume: number) => change({ volume, muted: false }),
    help: {
      opened: showsHelp,
      enabled: shortcuts,
      onChange: (shortcuts: boolean) => change({ shortcuts }),
      onClose: () => setShowsHelp(false),
    },
  }
}
