import { UnstyledButton } from '@mantine/core'
import type { ChatRoom } from '@watchline/contracts/chat'
import { useSelector } from 'react-redux'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { RoleBadge } from '../../../ui/people/role-badge.tsx'
import { UnverifiedMark } from '../../../ui/people/unverified-mark.tsx'
import { useChat } from '../chat-context.ts'
import { type ChatDrafts, draftOf } from '../window/chat-drafts.ts'
import styles from './rooms.module.css'
import { countUnread } from './rooms.ts'
import { UnreadCount } from './unread-count.tsx'

/** A room in the list: partner, last message or draft, its time, and the unread count. */
export function RoomRow({ room, onPick }: { room: ChatRoom; onPick: () => void }) {
  const { person } = useChat()
  const { id, other, last_message: lastMessage, open } = room
  const draft = useSelector((state: { chatDrafts: ChatDrafts }) =>
    draftOf(state.chatDrafts, { personId: person.id, roomId: id }).trim(),
  )
  const unread = countUnread(room, person.id)
  return (
    <UnstyledButton className={styles.row} data-unread={unread > 0 || undefined} onClick={onPick}>
      <Avatar id={other.id} name={other.name} picture={other.picture} size={36} />
      <span className={styles.rowText}>
        <span className={styles.rowLine}>
          <span className={styles.rowName} title={other.name}>
            {other.name}
          </span>
          <RoleBadge role={other.role} />
          {lastMessage ? (
            <span className={styles.rowTime}>
              <RelativeTime time={lastMessage.timestamp} />
            </span>
          ) : null}
        </span>
        <span className={styles.rowLine}>
          <span className={styles.rowMessage} dir="auto">
            {draft ? (
              <>
                <em>Draft:</em> {draft}
              </>
            ) : lastMessage ? (
              `${lastMessage.sender_id === person.id ? 'You: ' : ''}${lastMessage.message}`
            ) : (
              <>
                {other.email} <UnverifiedMark verified={other.email_verified} />
              </>
            )}
          </span>
          {open ? null : <span className={styles.rowClosed}>Closed</span>}
          <UnreadCount count={unread} />
        </span>
      </span>
    </UnstyledButton>
  )
}
