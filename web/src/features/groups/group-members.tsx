import type { Group } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useRef } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { UndoableButton } from '../../ui/controls/undoable-button.tsx'
import { useKeptFocus } from '../../ui/controls/use-kept-focus.ts'
import { useUndoableCall } from '../../ui/controls/use-undoable-call.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { usePages, useShownPage } from '../../ui/lists/use-pages.ts'
import { PersonLine } from '../../ui/people/person-line.tsx'
import styles from './groups.module.css'
import { useListGroupMembersQuery, useRemoveGroupMembersMutation } from './groups-api.ts'
import { NameSearch, useNameSearch } from './name-search.tsx'

const pageSize = 25

/** The members of a group by name, a page at a time. */
export function GroupMembers({ group }: { group: Group }) {
  const search = useNameSearch()
  const pages = usePages(search.query)
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const { data, currentData, error, isFetching, refetch } = useListGroupMembersQuery(
    {
      params: { id: group.id },
      query: { limit: pageSize, search: search.query || undefined, cursor: pages.cursor },
    },
    usePolling(group.pending ? limits.groupPollMs : limits.adminPollMs),
  )
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const isSearching = search.query !== ''
  const list = data && (
    <>
      {data.items.length > 0 ? (
        <ul className={styles.members} aria-label="Members">
          {data.items.map(member => (
            <Member key={member.id} group={group} member={member} />
          ))}
        </ul>
      ) : (
        <p className={styles.dim}>{isSearching ? 'Nobody found. Try another name or email.' : emptyText(group)}</p>
      )}
      <Pager
        page={shownPage}
        pageSize={pageSize}
        count={data.items.length}
        {...(data.total !== undefined && { total: data.total })}
        {...(isSearching && { countedAtMost: limits.maxCountedTotal })}
        hasNext={data.nextCursor !== undefined}
        onPage={page => pages.open(page, currentData?.nextCursor)}
      />
    </>
  )
  return (
    <section ref={section} tabIndex={-1} aria-label="Members of the group">
      {isSearching || search.text !== '' || group.member_count > pageSize ? (
        <div className={styles.bar}>
          <NameSearch search={search} label="Search members" placeholder="Beginning of a name or email" />
        </div>
      ) : null}
      <Loaded
        message="Couldn’t load the members."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={3} />}
      >
        {list}
      </Loaded>
    </section>
  )
}

function emptyText({ source, pending }: Group): string {
  if (pending) return 'The first members appear here in a moment.'
  if (source.kind === 'manual') return 'Nobody is in this group yet. Add people, or a file with their addresses.'
  if (source.kind === 'claim') return 'Nobody has signed in with this value yet.'
  return 'Nobody is in these teams at the moment. People who join them become members automatically.'
}

function Member({ group, member }: { group: Group; member: User }) {
  const alerts = useAlerts()
  const [remove] = useRemoveGroupMembersMutation()
  const removal = useUndoableCall(async () => {
    const { error } = await remove({ params: { id: group.id }, body: { user_ids: [member.id] } })
    if (error) alerts.fail(`${member.name} could not be removed from “${group.name}”`, asFailure(error))
  })
  return (
    <li className={styles.member}>
      <div className={styles.person}>
        <PersonLine
          id={member.id}
          name={member.name}
          detail={member.email}
          verified={member.email_verified}
          picture={member.picture}
        />
      </div>
      {group.source.kind === 'manual' ? (
        <UndoableButton call={removal} variant="default" size="xs" progressLabel="Removing…" subject={member.name}>
          Remove
        </UndoableButton>
      ) : null}
    </li>
  )
}
