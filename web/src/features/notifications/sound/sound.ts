import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { Role } from '@watchline/contracts/people'

export interface SoundState {
  /** Who wants no sound. */
  off: Readonly<Record<string, true>>
  /** How many team panels are shown: they have a chime of their own. */
  teamPanels: number
}

const keyPrefix = 'watchline.sound.'

const slice = createSlice({
  name: 'sound',
  initialState: (): SoundState => ({ off: remembered(), teamPanels: 0 }),
  reducers: {
    soundSwitched: (state, { payload: { personId, on } }: PayloadAction<{ personId: string; on: boolean }>) => {
      const { [personId]: _, ...others } = state.off
      return { ...state, off: on ? others : { ...others, [personId]: true } }
    },
    teamPanelOpened: state => ({ ...state, teamPanels: state.teamPanels + 1 }),
    teamPanelClosed: state => ({ ...state, teamPanels: state.teamPanels - 1 }),
  },
})

export const { soundSwitched, teamPanelOpened, teamPanelClosed } = slice.actions
export const sound = slice.reducer

/** Whose screens have chimes for notifications: a supervisor's dashboard, and the team panel, which a director has, too. */
export function hearsChimes(role: Role): boolean {
  return role === 'supervisor' || role === 'director'
}

interface WithSound {
  sound: SoundState
}

export function soundIsOn({ sound }: WithSound, personId: string): boolean {
  return !sound.off[personId]
}

export function teamPanelIsShown({ sound }: WithSound): boolean {
  return sound.teamPanels > 0
}

/** Sound is on unless somebody chose otherwise; that choice is kept on this device, for them alone. */
function remembered(): Record<string, true> {
  try {
    const keys = Object.keys(window.localStorage).filter(key => key.startsWith(keyPrefix))
    return Object.fromEntries(keys.map(key => [key.slice(keyPrefix.length), true]))
  } catch {
    return {}
  }
}

export function rememberSound(personId: string, on: boolean): void {
  try {
    if (on) window.localStorage.removeItem(keyPrefix + personId)
    else window.localStorage.setItem(keyPrefix + personId, 'off')
  } catch {
    // A forbidden storage only costs the choice at a reload.
  }
}

/** Whose choice another tab has changed, and to what. */
export function choiceIn({ key, newValue }: Pick<StorageEvent, 'key' | 'newValue'>) {
  return key?.startsWith(keyPrefix) ? { personId: key.slice(keyPrefix.length), on: newValue === null } : undefined
}
