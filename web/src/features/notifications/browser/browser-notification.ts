/** `unsupported`: the browser has none, or hides them from an insecure page. */
export type BrowserPermission = NotificationPermission | 'unsupported'

export function readBrowserPermission(): BrowserPermission {
  return typeof Notification === 'undefined' ? 'unsupported' : Notification.permission
}

/** Asks the person. Browsers allow this only during a press. */
export async function requestBrowserPermission(): Promise<BrowserPermission> {
  if (readBrowserPermission() !== 'default') return readBrowserPermission()
  try {
    return await Notification.requestPermission()
  } catch {
    return readBrowserPermission()
  }
}

export interface BrowserNotification {
  title: string
  body?: string
  /** A later notification with the same tag replaces this one, also that of another tab. */
  tag: string
  /** Runs when the person presses the notification, after the page came to the front. */
  onOpen: () => void
}

/**
 * Shows the notification outside the page, unless the person is looking at the page. Never throws.
 */
export function showBrowserNotification({ title, body, tag, onOpen }: BrowserNotification): void {
  if (readBrowserPermission() !== 'granted' || document.hasFocus()) return
  try {
    const notification = new Notification(title, { tag, icon: '/favicon.svg', ...(body !== undefined && { body }) })
    notification.onclick = () => {
      window.focus()
      notification.close()
      onOpen()
    }
  } catch {
    // Some phones allow notifications only to service workers. The badge shows the same.
  }
}
