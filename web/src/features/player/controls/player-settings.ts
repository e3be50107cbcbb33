import { useState } from 'react'

/** A person's choices for the player, in this browser. */
export interface PlayerSettings {
  /** From 0 to 1. */
  volume: number
  muted: boolean
  captions: boolean
  /** A language tag (BCP 47); undefined: the browser's language. */
  captionLanguage: string | undefined
  /** Audio descriptions are shown as text. */
  descriptions: boolean
  /** Playback speed, 1 is normal. */
  rate: number
  /** The player reacts to its keys. */
  shortcuts: boolean
}

const key = 'watchline.player'
const defaults: PlayerSettings = {
  volume: 1,
  muted: false,
  captions: false,
  captionLanguage: undefined,
  descriptions: false,
  rate: 1,
  shortcuts: true,
}

export function readPlayerSettings(): PlayerSettings {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(key) ?? 'null')
    if (typeof stored !== 'object' || stored === null) return defaults
    const settings = stored as Partial<Record<keyof PlayerSettings, unknown>>
    const { volume, muted, captionLanguage, rate, shortcuts } = settings
    return {
      volume: typeof volume === 'number' && volume >= 0 && volume <= 1 ? volume : defaults.volume,
      muted: muted === true,
      captions: settings.captions === true,
      captionLanguage: typeof captionLanguage === 'string' ? captionLanguage : undefined,
      descriptions: settings.descriptions === true,
      rate: typeof rate === 'number' && rate > 0 ? rate : defaults.rate,
      shortcuts: shortcuts !== false,
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
