import { createSlice, type PayloadAction } from '@reduxjs/toolkit'
import { z } from 'zod'

export const notificationCategories = ['notifications', 'messages'] as const
/** Notifications of the bell, and chat messages. */
export type NotificationCategory = (typeof notificationCategories)[number]

const categories = z.array(z.enum(notificationCategories))
const preferencesSchema = z.object({
  /** Categories without a sound, while sound is on. */
  silent: categories,
  /** Categories that the browser shows outside the page, too. */
  browser: categories,
})
export type NotificationPreferences = z.infer<typeof preferencesSchema>

const defaultPreferences: NotificationPreferences = { silent: [], browser: [] }
/** Browsers have stored preferences under this name, so it stays. */
const keyPrefix = 'watchline.alerts.'

export interface PreferencesState {
  byPerson: Readonly<Record<string, NotificationPreferences>>
}

const slice = createSlice({
  name: 'notificationPreferences',
  initialState: (): PreferencesState => ({ byPerson: loadPreferences() }),
  reducers: {
    preferencesChanged: (
      state,
      { payload: { personId, preferences } }: PayloadAction<{ personId: string; preferences: NotificationPreferences }>,
    ) => ({ byPerson: { ...state.byPerson, [personId]: preferences } }),
  },
})

export const { preferencesChanged } = slice.actions
export const notificationPreferences = slice.reducer

export interface StateWithPreferences {
  notificationPreferences: PreferencesState
}

export function preferencesOf(
  { notificationPreferences: { byPerson } }: StateWithPreferences,
  personId: string,
): NotificationPreferences {
  return byPerson[personId] ?? defaultPreferences
}

export function hasSoundFor(state: StateWithPreferences, personId: string, category: NotificationCategory): boolean {
  return !preferencesOf(state, personId).silent.includes(category)
}

function loadPreferences(): Record<string, NotificationPreferences> {
  try {
    const keys = Object.keys(window.localStorage).filter(key => key.startsWith(keyPrefix))
    return Object.fromEntries(
      keys.map(key => [key.slice(keyPrefix.length), parsePreferences(window.localStorage.getItem(key))]),
    )
  } catch {
    return {}
  }
}

/** Default preferences for a missing or unreadable value. */
function parsePreferences(stored: string | null): NotificationPreferences {
  try {
    return preferencesSchema.safeParse(JSON.parse(stored ?? '')).data ?? defaultPreferences
  } catch {
    return defaultPreferences
  }
}

export function storePreferences(personId: string, preferences: NotificationPreferences): void {
  try {
    window.localStorage.setItem(keyPrefix + personId, JSON.stringify(preferences))
  } catch {
    // Without storage the preferences are lost at a reload.
  }
}

/** Parses preferences that another tab stored; undefined for other storage events. */
export function parsePreferencesChange({ key, newValue }: Pick<StorageEvent, 'key' | 'newValue'>) {
  return key?.startsWith(keyPrefix)
    ? { personId: key.slice(keyPrefix.length), preferences: parsePreferences(newValue) }
    : undefined
}
