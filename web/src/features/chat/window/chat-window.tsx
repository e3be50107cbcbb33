import { CloseButton, FocusTrap } from '@mantine/core'
import { exportRoom } from '@watchline/contracts/chat'
import { fillPath } from '@watchline/contracts/operation'
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { apiUrl } from '../../../api/api-url.ts'
import { isComposing } from '../../../ui/controls/is-composing.ts'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { RoleBadge } from '../../../ui/people/role-badge.tsx'
import { useChat } from '../chat-context.ts'
import type { ChatWindow } from '../dock/chat-windows.ts'
import { useRoom } from '../rooms/use-rooms.ts'
import { Conversation } from './conversation.tsx'
import styles from './window.module.css'

interface ChatWindowFrameProps {
  window: ChatWindow
  onUse: () => void
  onMinimise: () => void
  onClose: () => void
  onList: () => void
}

/** One window: the partner, the messages, and the field for the next one. */
export function ChatWindowFrame({ window, onUse, onMinimise, onClose, onList }: ChatWindowFrameProps) {
  const { rooms, onPhone } = useChat()
  const title = useId()
  const room = useRoom(window, rooms)
  const { id, name, role, picture } = room?.other ?? window.other

  function minimiseByKey(event: KeyboardEvent) {
    if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
    event.stopPropagation()
    onMinimise()
  }

  return (
    <FocusTrap active={onPhone}>
      <section
        className={styles.window}
        aria-labelledby={title}
        {...(onPhone && { role: 'dialog', 'aria-modal': true })}
        data-chat-part
        onFocus={onUse}
        onKeyDown={minimiseByKey}
      >
        <header className={styles.head}>
          {onPhone ? (
            <WindowButton label="Back to all chats" onClick={onList}>
              <path d="M15 5l-7 7 7 7" />
            </WindowButton>
          ) : null}
          <Avatar id={id} name={name} picture={picture} size={28} />
          <div className={styles.partner}>
            <h2 id={title} className={styles.title} title={name}>
              <span className="wl-hidden">Chat with </span>
              {name}
            </h2>
            <RoleBadge role={role} />
          </div>
          <span className={styles.actions}>
            {room?.last_message ? <ExportLink roomId={window.roomId} name={name} /> : null}
            <WindowButton label={`Minimise chat with ${name}`} onClick={onMinimise}>
              <path d="M6 18h12" />
            </WindowButton>
            <CloseButton size={28} aria-label={`Close chat with ${name}`} onClick={onClose} />
          </span>
        </header>
        <Conversation window={window} room={room} />
      </section>
    </FocusTrap>
  )
}

/** Downloads the whole room as text. */
function ExportLink({ roomId, name }: { roomId: string; name: string }) {
  const path = fillPath(exportRoom.path, { roomId })
  return (
    <a
      className={styles.action}
      href={apiUrl(path)}
      download
      title="Export as text"
      aria-label={`Export chat with ${name}`}
    >
      <Glyph>
        <path d="M12 4v11M7.5 10.5L12 15l4.5-4.5M5 19.5h14" />
      </Glyph>
    </a>
  )
}

interface WindowButtonProps {
  label: string
  onClick: () => void
  children: ReactNode
}

function WindowButton({ label, onClick, children }: WindowButtonProps) {
  return (
    <button type="button" className={styles.action} aria-label={label} title={label} onClick={onClick}>
      <Glyph>{children}</Glyph>
    </button>
  )
}

function Glyph({ children }: { children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 24 24"
      width="18"
      height="18"
      aria-hidden="true"
      focusable="false"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  )
}
