import styles from '../chat.module.css'

export function UnreadCount({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className={styles.unread}>
      <span aria-hidden="true">{count.toLocaleString()}</span>
      <span className="wl-hidden">, {count.toLocaleString()} unread</span>
    </span>
  )
}
