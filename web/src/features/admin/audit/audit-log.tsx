import { Button, Checkbox, Group, NativeSelect } from '@mantine/core'
import { exportAudit } from '@watchline/contracts/audit'
import { limits } from '@watchline/contracts/limits'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { asFailure } from '../../../api/failure.ts'
import { usePolling } from '../../../api/polling.ts'
import { DayRange } from '../../../ui/dates/day-range.tsx'
import { EmptyState, Loaded, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { DownloadButton } from '../../../ui/files/download-button.tsx'
import { Pager } from '../../../ui/lists/pager.tsx'
import { SearchField } from '../../../ui/lists/search-field.tsx'
import { useServerOrder } from '../../../ui/lists/server-order.ts'
import { usePages, useShownPage } from '../../../ui/lists/use-pages.ts'
import { adminAddress } from '../admin-address.ts'
import { useSearch } from '../use-search.ts'
import styles from './audit.module.css'
import { useListAuditQuery } from './audit-api.ts'
import { AuditEntries } from './audit-entries.tsx'
import { actionNames } from './describe-entry.ts'
import { ErasureReceipts } from './erasure-receipts.tsx'
import { type AuditFilterState, useAuditFilter } from './use-audit-filter.ts'
import { useShownKinds } from './use-shown-kinds.ts'

const pageSize = 25
const actionChoices = [
  { value: '', label: 'Every action' },
  ...Object.entries(actionNames).map(([value, label]) => ({ value, label })),
]

/** Every administrative act, by time. */
export function AuditLog() {
  const search = useSearch()
  const filter = useAuditFilter()
  const { sorting, query: order } = useServerOrder('audit-order', ['time'], 'time desc')
  const shown = useShownKinds(filter.action)
  const pages = usePages(JSON.stringify([search.query, filter.query, shown.query, order]))
  const { data, currentData, error, isFetching, refetch } = useListAuditQuery(
    {
      query: {
        limit: pageSize,
        ...filter.query,
        ...shown.query,
        search: search.query || undefined,
        order: order.order,
        cursor: pages.cursor,
      },
    },
    usePolling(limits.adminPollMs),
  )
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const isFiltered = search.query !== '' || Object.values(filter.query).some(value => value !== undefined)

  let list: ReactNode = <SkeletonRows rows={8} />
  if (data)
    list = (
      <>
        {data.items.length > 0 ? (
          <AuditEntries entries={data.items} sorting={sorting} stale={!currentData} />
        ) : (
          <NothingFound isFiltered={isFiltered} />
        )}
        <Pager
          page={shownPage}
          pageSize={pageSize}
          count={data.items.length}
          total={data.total}
          countedAtMost={limits.maxCountedTotal}
          hasNext={data.nextCursor !== undefined}
          nouns={['entry', 'entries']}
          onPage={page => pages.open(page, currentData?.nextCursor)}
        />
      </>
    )

  return (
    <section aria-labelledby="audit-log">
      <h2 id="audit-log" className={styles.title}>
        Audit log
      </h2>
      <p className={styles.dim}>
        What administrators changed, and failed sign-ins. Nobody can change or remove an entry; erased people lose their
        name. Times are in your time zone.
      </p>
      <Group my="md" align="flex-start">
        <SearchField value={search.text} onChange={search.setText} />
        <AuditFilter filter={filter} />
      </Group>
      <Group mb="md" gap="lg">
        <Checkbox
          label="Sign-ins"
          checked={shown.kinds.signIns}
          onChange={event => shown.change({ signIns: event.currentTarget.checked })}
        />
        <Checkbox
          label="Demo and setup entries"
          checked={shown.kinds.setup}
          onChange={event => shown.change({ setup: event.currentTarget.checked })}
        />
        <Group gap="sm" ms="auto">
          <ExportButton format="csv" {...filter.query}>
            Export CSV
          </ExportButton>
          <ExportButton format="jsonl" {...filter.query}>
            Export JSON Lines
          </ExportButton>
        </Group>
      </Group>
      <Loaded
        message="Couldn’t load the audit log."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={list}
      >
        {data ? list : null}
      </Loaded>
      <ErasureReceipts />
    </section>
  )
}

interface ExportButtonProps {
  format: 'csv' | 'jsonl'
  from: string | undefined
  until: string | undefined
  children: ReactNode
}

/** Exports the chosen days with every action, because a chain with gaps cannot be verified. */
function ExportButton({ format, from, until, children }: ExportButtonProps) {
  const query = new URLSearchParams({ format, ...(from && { from }), ...(until && { until }) })
  return (
    <DownloadButton
      path={`${exportAudit.path}?${query}`}
      fileName="audit"
      failText="The audit log could not be exported. Please try again."
    >
      {children}
    </DownloadButton>
  )
}

function AuditFilter({ filter }: { filter: AuditFilterState }) {
  return (
    <>
      <NativeSelect
        label="Action"
        data={actionChoices}
        value={filter.action ?? ''}
        onChange={event => filter.change('action', event.currentTarget.value)}
        flex="1 1 220px"
        maw={260}
      />
      <DayRange
        labels={['From', 'Until']}
        from={filter.from ?? ''}
        until={filter.until ?? ''}
        onChange={filter.change}
        isReversed={filter.isReversed}
        flex="1 1 140px"
        maw={200}
      />
    </>
  )
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="Nothing found">Try another name, other days, or every action.</EmptyState>
  return (
    <EmptyState
      title="Nothing was done yet"
      action={
        <Button component={Link} to={adminAddress.users} variant="default">
          Show all users
        </Button>
      }
    >
      Role changes, new supervisors, reviewed requests and imports appear here as soon as an administrator makes them.
    </EmptyState>
  )
}
