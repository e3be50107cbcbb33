import { useState } from 'react'

/** What a person chose for the player, in this browser. */
export interface PlayerSettings {
  /** From 0 to 1. */
  volume: number
  muted: boolean
  /** The player reacts to its keys. */
  shortcuts: boolean
  /** The person has been told why some keys do nothing. */
  blockedKeysExplained: boolean
}

const key = 'watchline.player'
const defaults: PlayerSettings = { volume: 1, muted: false, shortcuts: true, blockedKeysExplained: false }

export function readPlayerSettings(): PlayerSettings {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(key) ?? 'null')
    if (typeof stored !== 'object' || stored === null) return defaults
    const { volume, muted, shortcuts, blockedKeysExplained } = stored as Partial<Record<keyof PlayerSettings, unknown>>
    return {
      volume: typeof volume === 'number' && volume >= 0 && volume <= 1 ? volume : defaults.volume,
      muted: muted === true,
      shortcuts: shortcuts !== false,
      blockedKeysExplained: blockedKeysExplained === true,
    }
  } catch {
    return defaults
  }
}

export function storePlayerSettings(changes: Partial<PlayerSettings>): PlayerSettings {
  const settings = { ...readPlayerSettings(), ...changes }
  try {
    window.localStorage.setItem(key, JSON.stringify(settings))
  } catch {
    // Without storage a choice ends with the session.
  }
  return settings
}

export function usePlayerSettings() {
  const [settings, setSettings] = useState(readPlayerSettings)
  const change = (changes: Partial<PlayerSettings>) => {
    storePlayerSettings(changes)
    setSettings(before => ({ ...before, ...changes }))
  }
  return { settings, change }
}
