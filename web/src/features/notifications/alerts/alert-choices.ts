import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import { z } from 'zod'

export const alertKinds = ['notifications', 'messages'] as const
/** The kinds of news: notifications of the bell, and chat messages. */
export type AlertKind = (typeof alertKinds)[number]

const kinds = z.array(z.enum(alertKinds))
const alertChoices = z.object({
  /** Kinds without a sound, while sound is on. */
  silent: kinds,
  /** Kinds that the browser shows outside the page, too. */
  browser: kinds,
})
export type AlertChoices = z.infer<typeof alertChoices>

const noChoices: AlertChoices = { silent: [], browser: [] }
const keyPrefix = 'watchline.alerts.'

export interface AlertsState {
  /** By person. */
  choices: Readonly<Record<string, AlertChoices>>
}

const slice = createSlice({
  name: 'alerts',
  initialState: (): AlertsState => ({ choices: loadChoices() }),
  reducers: {
    alertsChosen: (
      state,
      { payload: { personId, choices } }: PayloadAction<{ personId: string; choices: AlertChoices }>,
    ) => ({ choices: { ...state.choices, [personId]: choices } }),
  },
})

export const { alertsChosen } = slice.actions
export const alerts = slice.reducer

export interface StateWithAlerts {
  alerts: AlertsState
}

export function alertChoicesOf({ alerts: { choices } }: StateWithAlerts, personId: string): AlertChoices {
  return choices[personId] ?? noChoices
}

export function hasSoundFor(state: StateWithAlerts, personId: string, kind: AlertKind): boolean {
  return !alertChoicesOf(state, personId).silent.includes(kind)
}

function loadChoices(): Record<string, AlertChoices> {
  try {
    const keys = Object.keys(window.localStorage).filter(key => key.startsWith(keyPrefix))
    return Object.fromEntries(
      keys.map(key => [key.slice(keyPrefix.length), parseChoices(window.localStorage.getItem(key))]),
    )
  } catch {
    return {}
  }
}

/** Default choices for a missing or unreadable value. */
function parseChoices(stored: string | null): AlertChoices {
  try {
    return alertChoices.safeParse(JSON.parse(stored ?? '')).data ?? noChoices
  } catch {
    return noChoices
  }
}

export function storeChoices(personId: string, choices: AlertChoices): void {
  try {
    window.localStorage.setItem(keyPrefix + personId, JSON.stringify(choices))
  } catch {
    // Without storage the choice is lost at a reload.
  }
}

/** Parses a choice that another tab stored; undefined for other storage events. */
export function parseAlertsChange({ key, newValue }: Pick<StorageEvent, 'key' | 'newValue'>) {
  return key?.startsWith(keyPrefix)
    ? { personId: key.slice(keyPrefix.length), choices: parseChoices(newValue) }
    : undefined
}
