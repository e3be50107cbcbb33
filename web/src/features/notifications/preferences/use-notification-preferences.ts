import { useEffect } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import {
  type NotificationCategory,
  type NotificationPreferences,
  parsePreferencesChange,
  preferencesChanged,
  preferencesOf,
  type StateWithPreferences,
  storePreferences,
} from './notification-preferences.ts'

/** The person's preferences for sounds and browser notifications, the same in all tabs. */
export function useNotificationPreferences(personId: string) {
  const dispatch = useDispatch()
  const preferences = useSelector((state: StateWithPreferences) => preferencesOf(state, personId))

  useEffect(() => {
    const applyChange = (event: StorageEvent) => {
      const change = parsePreferencesChange(event)
      if (change) dispatch(preferencesChanged(change))
    }
    window.addEventListener('storage', applyChange)
    return () => window.removeEventListener('storage', applyChange)
  }, [dispatch])

  return {
    preferences,
    /** Puts the categories into one of the two lists, or takes them out. */
    setListed(list: keyof NotificationPreferences, changed: readonly NotificationCategory[], isListed: boolean) {
      const unchanged = preferences[list].filter(category => !changed.includes(category))
      const newPreferences = { ...preferences, [list]: isListed ? [...unchanged, ...changed] : unchanged }
      storePreferences(personId, newPreferences)
      dispatch(preferencesChanged({ personId, preferences: newPreferences }))
    },
  }
}
