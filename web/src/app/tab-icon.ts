import { useEffect } from 'react'
import { sessionInTab, type TabSession, unreadInTab } from '../ui/frame/tab-status.ts'
import { useSubscribable } from '../ui/hooks/use-subscribable.ts'

/** The shapes of public/favicon.svg; a test compares them. */
const mark =
  '<rect width="32" height="32" rx="7" fill="#0d5f5b"/><rect x="5" y="13" width="22" height="6" rx="3" fill="none" stroke="#fff" stroke-width="1.6"/><path d="M8 13h8.5v6H8a3 3 0 0 1 0-6z" fill="#fff"/><path d="M19.5 8v16" stroke="#f5b83d" stroke-width="2" stroke-linecap="round"/>'

const unreadDot = '<circle cx="25" cy="7" r="6" fill="#f5b83d" stroke="#fff" stroke-width="2"/>'
const sessionDisc = '<circle cx="23" cy="23" r="8" fill="#fff" stroke="#0d5f5b" stroke-width="1.5"/>'
const sessionGlyphs: Record<TabSession, string> = {
  none: '',
  running: `${sessionDisc}<path d="M20.5 18.5l7 4.5-7 4.5z" fill="#0d5f5b"/>`,
  paused: `${sessionDisc}<path d="M20.5 19v8M25.5 19v8" stroke="#0d5f5b" stroke-width="2.6"/>`,
}

/**
 * The icon as SVG, with a dot for unread notifications and a play or pause sign for the session.
 */
export function drawTabIcon(hasUnread: boolean, session: TabSession): string {
  const badges = sessionGlyphs[session] + (hasUnread ? unreadDot : '')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${mark}${badges}</svg>`
}

/** Draws the state of the application into the icon of the browser's tab. */
export function useTabIcon(): void {
  const hasUnread = useSubscribable(unreadInTab, count => count > 0)
  const session = useSubscribable(sessionInTab)
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"][type="image/svg+xml"]')
    if (!link || (!hasUnread && session === 'none')) return
    const plainIcon = link.href
    link.href = `data:image/svg+xml,${encodeURIComponent(drawTabIcon(hasUnread, session))}`
    return () => {
      link.href = plainIcon
    }
  }, [hasUnread, session])
}
