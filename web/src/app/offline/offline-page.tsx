import { useEffect, useState } from 'react'
import buttons from '../../ui/controls/plain-button.module.css'
import { formatCount } from '../../ui/dates/format.ts'
import { PageState } from '../../ui/feedback/page-state.tsx'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import styles from './offline-page.module.css'
import { countUnsent, type UnsentCounts } from './unsent-counts.ts'

const probeEveryMs = 5_000
const reload = () => window.location.reload()

/**
 * The service worker shows this page instead of one that cannot be loaded, at the same address. So
 * a reload opens the page that the person wanted.
 */
export function OfflinePage({ onRetry = reload }: { onRetry?: () => void }) {
  const [counts, setCounts] = useState<UnsentCounts | 'unreadable'>()
  useEffect(() => {
    void countUnsent().then(unsent => setCounts(unsent ?? 'unreadable'))
  }, [])
  useEffect(() => watchConnection(onRetry), [onRetry])

  return (
    <PageState title="Watchline cannot be reached">
      <ScreenTitle name="Offline" />
      <p>This device is offline, or Watchline is being restarted. The page opens again when the connection is back.</p>
      <div role="status" className={styles.saved}>
        {counts === undefined ? null : counts === 'unreadable' ? (
          <p>This browser does not show what is saved on this device.</p>
        ) : (
          <Saved counts={counts} />
        )}
      </div>
      <button type="button" className={buttons.primary} onClick={onRetry}>
        Try Again
      </button>
    </PageState>
  )
}

/** Calls back when Watchline answers again. The browser's own event may come before that. */
function watchConnection(onReachable: () => void): () => void {
  const probe = () => {
    fetch('/manifest.webmanifest', { cache: 'no-store' }).then(
      ({ ok }) => {
        if (ok) onReachable()
      },
      () => {},
    )
  }
  const timer = setInterval(probe, probeEveryMs)
  window.addEventListener('online', probe)
  return () => {
    clearInterval(timer)
    window.removeEventListener('online', probe)
  }
}

function Saved({ counts: { reports, positions, comments, messages } }: { counts: UnsentCounts }) {
  const parts = [
    reports && formatCount(reports, 'report of watched time', 'reports of watched time'),
    positions && formatCount(positions, 'position in a video', 'positions in videos'),
    comments && formatCount(comments, 'comment'),
    messages && formatCount(messages, 'chat message'),
  ].filter(part => part !== 0)
  if (parts.length === 0) return <p>Nothing waits to be sent. Everything that you did has reached Watchline.</p>
  return (
    <>
      <p>Saved on this device, and sent when you use Watchline again:</p>
      <ul>
        {parts.map(part => (
          <li key={part}>{part}</li>
        ))}
      </ul>
    </>
  )
}
