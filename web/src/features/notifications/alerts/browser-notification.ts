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

export interface BrowserAlert {
  title: string
  body?: string
  /** A later alert with the same tag replaces this one, also that of another tab. */
  tag: string
  /** Runs when the person presses the alert, after the page came to the front. */
  onOpen: () => void
}

/** Shows the alert outside the page, unless the person is looking at the page. Never throws. */
export function showBrowserAlert({ title, body, tag, onOpen }: BrowserAlert): void {
  if (readBrowserPermission() !== 'granted' || document.hasFocus()) return
  try {
    const alert = new Notification(title, { tag, icon: '/favicon.svg', ...(body !== undefined && { body }) })
    alert.onclick = () => {
      window.focus()
      alert.close()
      onOpen()
    }
  } catch {
    // Some phones allow notifications only to service workers. The badge shows the same.
  }
}
