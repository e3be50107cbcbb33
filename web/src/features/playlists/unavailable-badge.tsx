import styles from './playlists.module.css'

/**
 * Marks a video that cannot be played (private, deleted, or not embeddable), or a playlist with
 * `count` of them.
 */
export function UnavailableBadge({ count }: { count?: number }) {
  return (
    <span className={styles.unavailable}>
      <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path
          d="M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM3.5 3.5l9 9"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.6"
        />
      </svg>
      {count === undefined ? 'Cannot be played' : `${count} cannot be played`}
    </span>
  )
}
