import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import type { Role } from '@watchline/contracts/people'

export interface SoundState {
  /** The ids of people who switched sound off. */
  mutedPeople: Readonly<Record<string, true>>
  /** The number of visible team panels. They have their own chime. */
  openTeamPanels: number
}

const keyPrefix = 'watchline.sound.'

const slice = createSlice({
  name: 'sound',
  initialState: (): SoundState => ({ mutedPeople: loadMutedPeople(), openTeamPanels: 0 }),
  reducers: {
    soundSwitched: (state, { payload: { personId, isOn } }: PayloadAction<{ personId: string; isOn: boolean }>) => {
      const { [personId]: _, ...remaining } = state.mutedPeople
      return { ...state, mutedPeople: isOn ? remaining : { ...remaining, [personId]: true } }
    },
    teamPanelOpened: state => ({ ...state, openTeamPanels: state.openTeamPanels + 1 }),
    teamPanelClosed: state => ({ ...state, openTeamPanels: state.openTeamPanels - 1 }),
  },
})

export const { soundSwitched, teamPanelOpened, teamPanelClosed } = slice.actions
export const sound = slice.reducer

/**
 * Supervisors hear notifications on the dashboard and in the team panel, directors in the team
 * panel only.
 */
export function hasNotificationChimes(role: Role): boolean {
  return role === 'supervisor' || role === 'director'
}

interface StateWithSound {
  sound: SoundState
}

export function isSoundOn({ sound }: StateWithSound, personId: string): boolean {
  return !sound.mutedPeople[personId]
}

export function isTeamPanelOpen({ sound }: StateWithSound): boolean {
  return sound.openTeamPanels > 0
}

/** Sound is on by default. This device stores the choice of each person who switched it off. */
function loadMutedPeople(): Record<string, true> {
  try {
    const keys = Object.keys(window.localStorage).filter(key => key.startsWith(keyPrefix))
    return Object.fromEntries(keys.map(key => [key.slice(keyPrefix.length), true]))
  } catch {
    return {}
  }
}

export function storeSound(personId: string, isOn: boolean): void {
  try {
    if (isOn) window.localStorage.removeItem(keyPrefix + personId)
    else window.localStorage.setItem(keyPrefix + personId, 'off')
  } catch {
    // Without storage the choice is lost at a reload.
  }
}

/** Parses a choice that another tab stored; undefined for other storage events. */
export function parseStorageChange({ key, newValue }: Pick<StorageEvent, 'key' | 'newValue'>) {
  return key?.startsWith(keyPrefix) ? { personId: key.slice(keyPrefix.length), isOn: newValue === null } : undefined
}
