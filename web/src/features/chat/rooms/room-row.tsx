import { UnstyledButton } from '@mantine/core'
import type { ChatRoom } from '@watchline/contracts/chat'
import { useSelector } from 'react-redux'
import { Avatar } from '../../../ui/avatar.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { RoleBadge } from '../../../ui/role-badge.tsx'
import styles from '../chat.module.css'
import { useChat } from '../chat-context.ts'
import { type ChatDrafts, draftOf } from '../window/chat-drafts.ts'
import { unreadIn } from './rooms.ts'
import { UnreadCount } from './unread-count.tsx'

/** One person to write to: who, what was written last and when, and how much of it is unread. */
export function RoomRow({ room, onPick }: { room: ChatRoom; onPick: () => void }) {
  const { person } = useChat()
  const { id, other, last_message: last, open } = room
  const draft = useSelector((state: { chatDrafts: ChatDrafts }) =>
    draftOf(state.chatDrafts, { personId: person.id, roomId: id }).trim(),
  )
  const unread = unreadIn(room, person.id)
  return (
    <UnstyledButton className={styles.row} data-unread={unread > 0 || undefined} onClick={onPick}>
      <Avatar name={other.name} picture={other.picture} size={36} />
      <span className={styles.rowWords}>
        <span className={styles.rowLine}>
          <span className={styles.rowName} title={other.name}>
            {other.name}
          </span>
          <RoleBadge role={other.role} />
          {last ? (
            <span className={styles.rowTime}>
              <RelativeTime time={last.timestamp} />
            </span>
          ) : null}
        </span>
        <span className={styles.rowLine}>
          <span className={styles.rowLast} dir="auto">
            {draft ? (
              <>
                <em>Draft:</em> {draft}
              </>
            ) : last ? (
              `${last.sender_id === person.id ? 'You: ' : ''}${last.message}`
            ) : (
              other.email
            )}
          </span>
          {open ? null : <span className={styles.rowClosed}>Closed</span>}
          <UnreadCount count={unread} />
        </span>
      </span>
    </UnstyledButton>
  )
}
