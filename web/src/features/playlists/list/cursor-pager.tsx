import { Button } from '@mantine/core'
import listStyles from '../../../ui/lists/list.module.css'
import styles from '../playlists.module.css'

interface CursorPagerProps {
  /** The plural of what is listed: "playlists". */
  name: string
  /** The list holds what a search found. */
  isFound: boolean
  /** The number of items on the present page. */
  count: number
  /** The cursors of the server's pages up to the present one. */
  cursors: readonly string[]
  nextCursor: string | undefined
  onOpen: (cursors: readonly string[]) => void
}

/** Moves between the server's long pages, newest first. Shows nothing if there is only one. */
export function CursorPager({ name, isFound, count, cursors, nextCursor, onOpen }: CursorPagerProps) {
  if (cursors.length === 0 && nextCursor === undefined) return null
  return (
    <div className={styles.stretch}>
      <p className={listStyles.dim}>
        {cursors.length === 0 ? `These are the newest ${count} ${name}` : `These are ${count} older ${name}`}
        {isFound ? ' with this title.' : '.'}
      </p>
      {cursors.length > 0 ? (
        <Button variant="default" size="xs" onClick={() => onOpen(cursors.slice(0, -1))}>
          Newer {name}
        </Button>
      ) : null}
      {nextCursor !== undefined ? (
        <Button variant="default" size="xs" onClick={() => onOpen([...cursors, nextCursor])}>
          Older {name}
        </Button>
      ) : null}
    </div>
  )
}
