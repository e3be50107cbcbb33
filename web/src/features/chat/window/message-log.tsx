import { Button } from '@mantine/core'
import type { RefObject } from 'react'
import type { Failure } from '../../../api/failure.ts'
import { useNow } from '../../../ui/relative-time.tsx'
import { LoadFailed, SkeletonRows } from '../../../ui/states.tsx'
import { useFocusKept } from '../../../ui/use-focus-kept.ts'
import styles from '../chat.module.css'
import type { UnsentMessage } from '../outbox/chat-outbox.ts'
import { MessageLine } from './message-line.tsx'
import { dayName, type TimelineItem } from './timeline.ts'
import { UnsentLine } from './unsent-line.tsx'
import type { Older } from './use-older.ts'

interface MessageLogProps {
  ref: RefObject<HTMLElement | null>
  name: string
  /** Undefined while not known. */
  items: readonly TimelineItem[] | undefined
  failure: Failure | undefined
  onRetry: () => void
  retrying: boolean
  older: Older
  onScroll: () => void
  onSendAgain: (unsent: UnsentMessage) => void
  onDelete: (unsent: UnsentMessage) => void
}

/** What was written, oldest first. What is new is read aloud elsewhere: here it could not be told from what is older. */
export function MessageLog({
  ref,
  name,
  items,
  failure,
  onRetry,
  retrying,
  older,
  onScroll,
  ...ofUnsent
}: MessageLogProps) {
  useFocusKept(ref)
  return (
    <section
      ref={ref}
      role="log"
      aria-live="off"
      aria-label={`Messages with ${name}`}
      className={styles.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={onScroll}
    >
      {failure ? (
        <LoadFailed
          message="The messages could not be loaded. Please try again."
          failure={failure}
          onRetry={onRetry}
          retrying={retrying}
          oldBelow={items !== undefined}
        />
      ) : null}
      {older.there ? <OlderButton older={older} /> : null}
      {items ? (
        <ol className={styles.lines}>
          {items.map(item => (
            <Line key={item.key} item={item} name={name} {...ofUnsent} />
          ))}
        </ol>
      ) : failure ? null : (
        <SkeletonRows rows={4} height={44} />
      )}
      {items?.length === 0 && !failure ? (
        <p className={styles.nothing}>No messages yet. Write the first one to {name}.</p>
      ) : null}
    </section>
  )
}

type LineProps = Pick<MessageLogProps, 'name' | 'onSendAgain' | 'onDelete'> & { item: TimelineItem }

function Line({ item, name, onSendAgain, onDelete }: LineProps) {
  switch (item.kind) {
    case 'day':
      return <DayLine time={item.time} />
    case 'new':
      return (
        <li className={styles.newLine} data-new data-line>
          <span>New</span>
        </li>
      )
    case 'message':
      return <MessageLine message={item.message} own={item.own} seen={item.seen} name={name} />
    case 'unsent':
      return (
        <UnsentLine
          unsent={item.unsent}
          onSendAgain={() => onSendAgain(item.unsent)}
          onDelete={() => onDelete(item.unsent)}
        />
      )
  }
}

function DayLine({ time }: { time: string }) {
  return (
    <li className={styles.day} data-line>
      {dayName(time, useNow())}
    </li>
  )
}

function OlderButton({ older }: { older: Older }) {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      className={styles.older}
      aria-disabled={older.loading || undefined}
      onClick={older.read}
    >
      {older.loading
        ? 'Loading…'
        : older.failed
          ? 'Older messages could not be loaded. Try again'
          : 'Load older messages'}
    </Button>
  )
}
