import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { type ReactNode, useRef } from 'react'
import { asFailure } from '../../../api/failure.ts'
import type { Page } from '../../../api/gateway.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { managePerson, useCommand } from '../../../ui/frame/frame-commands.ts'
import { Pager } from '../../../ui/lists/pager.tsx'
import type { ServerSorting } from '../../../ui/lists/server-order.ts'
import { type Pages, useShownPage } from '../../../ui/lists/use-pages.ts'
import { ManagePerson } from './manage-person.tsx'
import { type PeopleColumn, PeopleTable } from './people-table.tsx'
import { useManagedPerson } from './use-managed-person.ts'
import type { SelectedPeople } from './use-selected-people.ts'

export const peoplePageSize = 25

interface PeoplePageProps<Sort extends string> {
  query: {
    data?: Page<User>
    /** The answer to the present query only. */
    currentData?: Page<User>
    error?: unknown
    isFetching: boolean
    refetch: () => unknown
  }
  pages: Pages
  columns: readonly PeopleColumn<Sort>[]
  sorting: ServerSorting<Sort | 'name'>['sorting']
  /** Absent if nobody can be selected. */
  selected?: SelectedPeople
  /** Singular and plural: "manager", "managers". */
  nouns: [singular: string, plural: string]
  /** Shown when the list is empty. */
  empty: ReactNode
}

/** A page of people with a pager, and the side panel that manages one of them. */
export function PeoplePage<Sort extends string>({
  query,
  pages,
  columns,
  sorting,
  selected,
  nouns,
  empty,
}: PeoplePageProps<Sort>) {
  const { data, currentData, error, isFetching, refetch } = query
  const managed = useManagedPerson(data?.items)
  useCommand(managePerson, managed.open)
  const shownPage = useShownPage(pages.page, currentData !== undefined)

  const container = useRef<HTMLDivElement>(null)
  /** Focuses the list if the row with the button that opened the panel is gone. */
  function keepFocus() {
    if (!data?.items.some(({ id }) => id === managed.person?.id)) container.current?.focus({ preventScroll: true })
  }

  let list: ReactNode = <SkeletonRows rows={8} height={60} />
  if (data)
    list = (
      <>
        {data.items.length > 0 ? (
          <PeopleTable
            people={data.items}
            columns={columns}
            sorting={sorting}
            selected={selected}
            onManage={managed.open}
            stale={!currentData}
          />
        ) : shownPage === 0 ? (
          empty
        ) : (
          <EmptyState title="Nobody is left on this page">The list has become shorter.</EmptyState>
        )}
        <Pager
          page={shownPage}
          pageSize={peoplePageSize}
          count={data.items.length}
          total={data.total}
          countedAtMost={limits.maxCountedTotal}
          hasNext={data.nextCursor !== undefined}
          nouns={nouns}
          onPage={page => pages.open(page, currentData?.nextCursor)}
        />
      </>
    )

  return (
    <div ref={container} tabIndex={-1}>
      <Loaded
        message={`Couldn’t load the ${nouns[1]}.`}
        failure={error ? asFailure(error) : undefined}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={list}
      >
        {data ? list : null}
      </Loaded>
      <ManagePerson
        person={managed.person}
        opened={managed.opened}
        onClose={managed.close}
        onClosed={keepFocus}
        onChanged={managed.changed}
      />
    </div>
  )
}
