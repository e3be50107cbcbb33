import { Button } from '@mantine/core'
import type { RefObject } from 'react'
import type { Failure } from '../../../api/failure.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { useNow } from '../../../ui/dates/relative-time.tsx'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import type { UnsentMessage } from '../outbox/chat-outbox.ts'
import { MessageLine } from './message-line.tsx'
import styles from './message-log.module.css'
import { dayName, type TimelineItem } from './timeline.ts'
import { UnsentLine } from './unsent-line.tsx'
import type { OlderMessages } from './use-older-messages.ts'

interface MessageLogProps {
  ref: RefObject<HTMLElement | null>
  name: string
  /** Undefined until loaded. */
  items: readonly TimelineItem[] | undefined
  failure: Failure | undefined
  onRetry: () => void
  retrying: boolean
  older: OlderMessages
  onScroll: () => void
  onSendAgain: (unsent: UnsentMessage) => void
  onDelete: (unsent: UnsentMessage) => void
}

/**
 * The messages, oldest first. Another element announces new ones to screen readers, because this
 * log also grows with older ones.
 */
export function MessageLog({
  ref,
  name,
  items,
  failure,
  onRetry,
  retrying,
  older,
  onScroll,
  ...unsentActions
}: MessageLogProps) {
  useKeptFocus(ref)
  return (
    <section
      ref={ref}
      role="log"
      aria-live="off"
      aria-label={`Messages with ${name}`}
      className={styles.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      onScroll={onScroll}
    >
      {failure ? (
        <LoadFailed
          message="Couldn’t load the messages."
          failure={failure}
          onRetry={onRetry}
          retrying={retrying}
          oldBelow={items !== undefined}
        />
      ) : null}
      {older.hasMore ? <OlderButton older={older} /> : null}
      {items ? (
        <ol className={styles.lines}>
          {items.map(item => (
            <TimelineLine key={item.key} item={item} name={name} {...unsentActions} />
          ))}
        </ol>
      ) : failure ? null : (
        <SkeletonRows rows={4} height={44} />
      )}
      {items?.length === 0 && !failure ? (
        <p className={styles.empty}>No messages yet. Write the first one to {name}.</p>
      ) : null}
    </section>
  )
}

type TimelineLineProps = Pick<MessageLogProps, 'name' | 'onSendAgain' | 'onDelete'> & { item: TimelineItem }

function TimelineLine({ item, name, onSendAgain, onDelete }: TimelineLineProps) {
  switch (item.kind) {
    case 'day':
      return <DayLine time={item.time} />
    case 'new':
      return (
        <li className={styles.newDivider} data-new data-line>
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

function OlderButton({ older }: { older: OlderMessages }) {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      className={styles.older}
      aria-disabled={older.isLoading || undefined}
      onClick={older.read}
    >
      {older.isLoading
        ? 'Loading…'
        : older.hasFailed
          ? 'Couldn’t load older messages. Try again'
          : 'Load older messages'}
    </Button>
  )
}
