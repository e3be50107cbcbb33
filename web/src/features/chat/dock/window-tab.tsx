import { CloseButton, UnstyledButton } from '@mantine/core'
import { formatCount } from '../../../ui/dates/format.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import { useChat } from '../chat-context.ts'
import { countUnread } from '../rooms/rooms.ts'
import { UnreadCount } from '../rooms/unread-count.tsx'
import { useRoom } from '../rooms/use-rooms.ts'
import type { ChatWindow } from './chat-windows.ts'
import styles from './dock.module.css'
import { tabId } from './use-chat-windows.ts'

interface WindowTabProps {
  window: ChatWindow
  onRestore: () => void
  onClose: () => void
}

/** A minimised window with its partner, its unread count and its unsent messages. */
export function WindowTab({ window, onRestore, onClose }: WindowTabProps) {
  const { person, outbox, rooms } = useChat()
  const room = useRoom(window, rooms)
  const unsentCount = useSubscribable(
    outbox.entries,
    entries => entries.filter(({ call, problem }) => call.roomId === window.roomId && problem).length,
  )
  const { name } = room?.other ?? window.other
  return (
    <li className={styles.tab} data-chat-part>
      <UnstyledButton
        id={tabId(window.roomId)}
        className={styles.tabName}
        title={name}
        data-chat-stop
        onClick={onRestore}
      >
        <span className="wl-hidden">Open chat with </span>
        <span className={styles.tabText}>{name}</span>
        <UnreadCount count={room ? countUnread(room, person.id) : 0} />
        {unsentCount > 0 ? (
          <span className={styles.tabProblem}>
            <span aria-hidden="true">!</span>
            <span className="wl-hidden">, {formatCount(unsentCount, 'message')} not sent</span>
          </span>
        ) : null}
      </UnstyledButton>
      <CloseButton size={28} aria-label={`Close chat with ${name}`} onClick={onClose} />
    </li>
  )
}
