import { UnstyledButton } from '@mantine/core'
import type { ChatRoom } from '@watchline/contracts/chat'
import { useId } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { formatNumber } from '../../../ui/dates/format.ts'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { PersonLine } from '../../../ui/people/person-line.tsx'
import { RoleBadge } from '../../../ui/people/role-badge.tsx'
import { useListEveryoneInfiniteQuery } from '../chat-api.ts'
import { MoreButton } from './more-button.tsx'
import styles from './rooms.module.css'
import { roomIdOf } from './rooms.ts'

interface EveryoneListProps {
  personId: string
  search: string
  onPick: (room: Pick<ChatRoom, 'id' | 'other' | 'chat_type'>) => void
}

/** For administrators, who may write to anyone. */
export function EveryoneList({ personId, search, onPick }: EveryoneListProps) {
  const title = useId()
  const list = useListEveryoneInfiniteQuery(search, { refetchOnMountOrArgChange: true })
  const people = list.data?.pages.flatMap(page => page.items)
  const total = list.data?.pages[0]?.total
  return (
    <section aria-labelledby={title} className={styles.section}>
      <h3 id={title}>
        Everybody {total === undefined ? null : <span className={styles.count}>{formatNumber(total)}</span>}
      </h3>
      {list.error ? (
        <LoadFailed
          message="Couldn’t load the people."
          failure={asFailure(list.error)}
          onRetry={list.refetch}
          retrying={list.isFetching}
          oldBelow={people !== undefined}
        />
      ) : null}
      {people ? (
        <>
          <ul className={styles.rows}>
            {people.map(({ id, name, email, email_verified, picture, role }) => (
              <li key={id}>
                <UnstyledButton
                  className={styles.row}
                  onClick={() =>
                    onPick({
                      id: roomIdOf(personId, id),
                      other: { id, name, email, email_verified, picture, role },
                      chat_type: 'admin',
                    })
                  }
                >
                  <span className={styles.rowPerson}>
                    <PersonLine id={id} name={name} detail={email} verified={email_verified} picture={picture} />
                  </span>
                  <RoleBadge role={role} />
                </UnstyledButton>
              </li>
            ))}
          </ul>
          {list.hasNextPage ? (
            <MoreButton loading={list.isFetchingNextPage} onMore={list.fetchNextPage}>
              Show more people
            </MoreButton>
          ) : null}
          {people.length === 0 ? (
            <EmptyState title="Nobody found">
              {search ? `No name or email has “${search}”.` : 'People appear here after their first sign-in.'}
            </EmptyState>
          ) : null}
        </>
      ) : list.error ? null : (
        <SkeletonRows rows={5} height={56} />
      )}
    </section>
  )
}
