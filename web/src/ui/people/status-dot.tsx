import styles from './status-dot.module.css'

export type Status = 'monitoring' | 'active' | 'offline'

const statusNames: Record<Status, string> = { monitoring: 'Monitoring', active: 'Active', offline: 'Offline' }

/**
 * A ring with a play glyph, a full dot or a hollow one, always with its word. An unknown status
 * means offline.
 */
export function StatusDot({ status }: { status: string }) {
  const knownStatus: Status = status === 'monitoring' || status === 'active' ? status : 'offline'
  return (
    <span className={styles.status}>
      <svg className={styles[knownStatus]} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        {knownStatus === 'monitoring' ? (
          <>
            <circle cx="8" cy="8" r="6.75" fill="none" stroke="currentColor" strokeWidth="2" />
            <path d="M6.4 5v6l4.8-3z" fill="currentColor" />
          </>
        ) : (
          <circle
            cx="8"
            cy="8"
            r={knownStatus === 'active' ? 5 : 4.25}
            fill={knownStatus === 'active' ? 'currentColor' : 'none'}
            stroke={knownStatus === 'active' ? 'none' : 'currentColor'}
            strokeWidth="1.75"
          />
        )}
      </svg>
      {statusNames[knownStatus]}
    </span>
  )
}
