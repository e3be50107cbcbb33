import { useSelector } from 'react-redux'
import {
  type NotificationCategory,
  preferencesOf,
  type StateWithPreferences,
} from '../preferences/notification-preferences.ts'
import { type BrowserNotification, showBrowserNotification } from './browser-notification.ts'

/** Returns a function that shows a browser notification, if the person chose this category. */
export function useBrowserNotification(personId: string, category: NotificationCategory) {
  const isChosen = useSelector((state: StateWithPreferences) =>
    preferencesOf(state, personId).browser.includes(category),
  )
  return (notification: Omit<BrowserNotification, 'tag'>): void => {
    if (isChosen) showBrowserNotification({ ...notification, tag: `watchline.${category}` })
  }
}
