import { CloseButton, Drawer, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ChatRoom } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import type { Role } from '@watchline/contracts/people'
import { useId, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { useChat } from '../chat-context.ts'
import { EveryoneList } from './everyone-list.tsx'
import { MoreButton } from './more-button.tsx'
import { RoomRow } from './room-row.tsx'
import styles from './rooms.module.css'
import { useRooms } from './use-rooms.ts'

interface ChatListProps {
  opened: boolean
  onLeave: () => void
  onPick: (room: Pick<ChatRoom, 'id' | 'other' | 'chat_type'>) => void
}

/** Slides in from the right: the rooms, latest first, and further people to write to. */
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
      classNames={{ body: styles.drawerBody }}
    >
      <RoomsAndPeople onLeave={onLeave} onPick={onPick} />
    </Drawer>
  )
}

function RoomsAndPeople({ onLeave, onPick }: Omit<ChatListProps, 'opened'>) {
  const { person, onPhone } = useChat()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim().slice(0, limits.nameMaxLength), limits.searchDebounceMs)
  const rooms = useRooms(search)
  const items = rooms.data?.pages.flatMap(page => page.items) ?? []
  const conversations = items.filter(room => room.last_message)
  const people = items.filter(room => !room.last_message)
  const mayWriteToAnyone = person.role === 'admin'
  const isEmpty = items.length === 0 && !rooms.hasNextPage && !mayWriteToAnyone

  return (
    <div className={styles.list}>
      <div className={styles.head}>
        {/* Focus in the search field would open a phone's keyboard over half of the list. */}
        <h2 tabIndex={-1} data-autofocus={onPhone || undefined}>
          Chat
        </h2>
        <CloseButton onClick={onLeave} />
      </div>
      <TextInput
        className={styles.search}
        label="Search"
        type="search"
        placeholder="Beginning of a name or email"
        maxLength={limits.nameMaxLength}
        value={typed}
        data-autofocus={!onPhone || undefined}
        onChange={event => setTyped(event.currentTarget.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label="Rooms and people">
        {rooms.error ? (
          <LoadFailed
            message="Couldn’t load your chats."
            failure={asFailure(rooms.error)}
            onRetry={rooms.refetch}
            retrying={rooms.isFetching}
            oldBelow={rooms.data !== undefined}
          />
        ) : null}
        {rooms.data ? (
          <>
            <RoomList title="Conversations" rooms={conversations} onPick={onPick} />
            <RoomList title="People you can write to" rooms={people} onPick={onPick} />
            {rooms.hasNextPage ? (
              <MoreButton loading={rooms.isFetchingNextPage} onMore={rooms.fetchNextPage}>
                Show more chats
              </MoreButton>
            ) : null}
            {isEmpty ? <NoRooms role={person.role} search={search} /> : null}
          </>
        ) : rooms.error ? null : (
          <SkeletonRows rows={5} height={64} />
        )}
        {mayWriteToAnyone ? <EveryoneList personId={person.id} search={search} onPick={onPick} /> : null}
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
    <section aria-labelledby={id} className={styles.section}>
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

const emptyTexts: Record<Role, string> = {
  user: 'As soon as you have a supervisor, you can write to each other here.',
  supervisor: 'As soon as you have a team or a manager, you can write to each other here.',
  manager: 'As soon as you have supervisors, or there are directors, you can write to each other here.',
  director: 'As soon as there are managers, you can write to each other here.',
  admin: '',
}

function NoRooms({ role, search }: { role: Role; search: string }) {
  if (search !== '')
    return <EmptyState title="Nobody found">No name or email you can write to has “{search}”.</EmptyState>
  return <EmptyState title="Nobody to write to yet">{emptyTexts[role]}</EmptyState>
}
