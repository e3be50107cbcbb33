import { useSelector } from 'react-redux'
import { type AlertKind, alertChoicesOf, type StateWithAlerts } from './alert-choices.ts'
import { type BrowserAlert, showBrowserAlert } from './browser-notification.ts'

/** Returns a function that shows a browser notification, if the person wants this kind. */
export function useBrowserAlert(personId: string, kind: AlertKind): (alert: Omit<BrowserAlert, 'tag'>) => void {
  const isWanted = useSelector((state: StateWithAlerts) => alertChoicesOf(state, personId).browser.includes(kind))
  return alert => {
    if (isWanted) showBrowserAlert({ ...alert, tag: `watchline.${kind}` })
  }
}
