import { useEffect } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import {
  type AlertChoices,
  type AlertKind,
  alertChoicesOf,
  alertsChosen,
  parseAlertsChange,
  type StateWithAlerts,
  storeChoices,
} from './alert-choices.ts'

/** The person's choices of sounds and browser notifications, the same in all tabs. */
export function useAlertChoices(personId: string) {
  const dispatch = useDispatch()
  const choices = useSelector((state: StateWithAlerts) => alertChoicesOf(state, personId))

  useEffect(() => {
    const applyChange = (event: StorageEvent) => {
      const change = parseAlertsChange(event)
      if (change) dispatch(alertsChosen(change))
    }
    window.addEventListener('storage', applyChange)
    return () => window.removeEventListener('storage', applyChange)
  }, [dispatch])

  return {
    choices,
    /** Puts the kind into one of the two lists, or takes it out. */
    setListed(list: keyof AlertChoices, changed: readonly AlertKind[], isListed: boolean) {
      const others = choices[list].filter(kind => !changed.includes(kind))
      const newChoices = { ...choices, [list]: isListed ? [...others, ...changed] : others }
      storeChoices(personId, newChoices)
      dispatch(alertsChosen({ personId, choices: newChoices }))
    },
  }
}
