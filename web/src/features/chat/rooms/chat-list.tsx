import { CloseButton, Drawer, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ChatRoom } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import type { Role } from '@watchline/contracts/people'
import { useId, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/states.tsx'
import styles from '../chat.module.css'
import { useChat } from '../chat-context.ts'
import { Everyone } from './everyone-list.tsx'
import { MoreButton } from './more-button.tsx'
import { RoomRow } from './room-row.tsx'
import { useRooms } from './use-rooms.ts'

interface ChatListProps {
  opened: boolean
  onLeave: () => void
  onPick: (room: Pick<ChatRoom, 'id' | 'other' | 'chat_type'>) => void
}

/** Slides over from the right: the rooms, latest first, and whom else one may write to. */
export function ChatList({ opened, onLeave, onPick }: ChatListProps) {
  const { onPhone } = useChat()
  return (
    <Drawer
      opened={opened}
      onClose={onLeave}
      size={onPhone ? '100%' : 380}
      withCloseButton={false}
      padding={0}
      returnFocus={false}
      attributes={{ content: { 'aria-label': 'Chat' } }}
      classNames={{ body: styles.listBody }}
    >
      <List onLeave={onLeave} onPick={onPick} />
    </Drawer>
  )
}

function List({ onLeave, onPick }: Omit<ChatListProps, 'opened'>) {
  const { person, onPhone } = useChat()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim().slice(0, limits.nameMaxLength), limits.searchDebounceMs)
  const rooms = useRooms(search)
  const items = rooms.data?.pages.flatMap(page => page.items) ?? []
  const talks = items.filter(room => room.last_message)
  const people = items.filter(room => !room.last_message)
  const all = person.role === 'admin'
  const nothing = items.length === 0 && !rooms.hasNextPage && !all

  return (
    <div className={styles.list}>
      <header className={styles.listHead}>
        {/* On a phone the search field would call the keyboard over half of the list. */}
        <h2 tabIndex={-1} data-autofocus={onPhone || undefined}>
          Chat
        </h2>
        <CloseButton onClick={onLeave} />
      </header>
      <TextInput
        className={styles.search}
        label="Search"
        type="search"
        placeholder="Name or email"
        maxLength={limits.nameMaxLength}
        value={typed}
        data-autofocus={!onPhone || undefined}
        onChange={event => setTyped(event.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.listScroll} tabIndex={0} aria-label="Rooms and people">
        {rooms.error ? (
          <LoadFailed
            message="Your chats could not be loaded. Please try again."
            failure={asFailure(rooms.error)}
            onRetry={rooms.refetch}
            retrying={rooms.isFetching}
            oldBelow={rooms.data !== undefined}
          />
        ) : null}
        {rooms.data ? (
          <>
            <RoomList title="Conversations" rooms={talks} onPick={onPick} />
            <RoomList title="People you can write to" rooms={people} onPick={onPick} />
            {rooms.hasNextPage ? (
              <MoreButton loading={rooms.isFetchingNextPage} onMore={rooms.fetchNextPage}>
                Show more chats
              </MoreButton>
            ) : null}
            {nothing ? <Nothing role={person.role} search={search} /> : null}
          </>
        ) : rooms.error ? null : (
          <SkeletonRows rows={5} height={64} />
        )}
        {all ? <Everyone personId={person.id} search={search} onPick={onPick} /> : null}
      </section>
    </div>
  )
}

interface RoomListProps extends Pick<ChatListProps, 'onPick'> {
  title: string
  rooms: readonly ChatRoom[]
}

function RoomList({ title, rooms, onPick }: RoomListProps) {
  const id = useId()
  if (rooms.length === 0) return null
  return (
    <section aria-labelledby={id} className={styles.part}>
      <h3 id={id}>{title}</h3>
      <ul className={styles.rows}>
        {rooms.map(room => (
          <li key={room.id}>
            <RoomRow room={room} onPick={() => onPick(room)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

const fills: Record<Role, string> = {
  user: 'As soon as you have a supervisor, you can write to each other here.',
  supervisor: 'As soon as you have a team or a manager, you can write to each other here.',
  manager: 'As soon as you have supervisors, or there are directors, you can write to each other here.',
  director: 'As soon as there are managers, you can write to each other here.',
  admin: '',
}

function Nothing({ role, search }: { role: Role; search: string }) {
  if (search !== '')
    return <EmptyState title="Nobody found">No name or email you can write to has “{search}”.</EmptyState>
  return <EmptyState title="Nobody to write to yet">{fills[role]}</EmptyState>
}
