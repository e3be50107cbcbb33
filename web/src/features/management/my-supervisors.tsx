import { Button, TextInput } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { Pager } from '../../ui/pager.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import styles from './management.module.css'
import { SupervisorRow } from './supervisor-row.tsx'
import type { Online, Team } from './teams.ts'
import type { Teams } from './use-teams.ts'

interface MySupervisorsProps {
  teams: Teams
  online: Online
  onOpenMember: (member: MemberAnalytics) => void
  onRequest: () => void
}

const pageSize = 25
const searchFrom = 8

/** The manager's supervisors, each of whom opens to their team. */
export function MySupervisors({
  teams: { supervisors, whole, teams },
  online,
  onOpenMember,
  onRequest,
}: MySupervisorsProps) {
  const [typed, setTyped] = useState('')
  const [page, setPage] = useState(0)
  const found = teams?.filter(({ supervisor }) => matches(supervisor, typed)) ?? []
  // The list may have become shorter than it was when its last page was opened.
  const shownPage = Math.min(page, Math.max(0, Math.ceil(found.length / pageSize) - 1))
  const shown = found.slice(shownPage * pageSize, (shownPage + 1) * pageSize)

  const list = teams && (
    <>
      {shown.length === 0 ? (
        <Nobody searching={teams.length > 0} onRequest={onRequest} />
      ) : (
        <ul className={styles.cards} aria-label="My Supervisors">
          {shown.map(team => (
            <SupervisorRow
              key={team.supervisor.id}
              team={team}
              online={online.summary}
              figuresFailed={whole.failure !== undefined}
              onOpenMember={onOpenMember}
            />
          ))}
        </ul>
      )}
      <Pager
        page={shownPage}
        pageSize={pageSize}
        count={shown.length}
        total={found.length}
        hasNext={(shownPage + 1) * pageSize < found.length}
        onPage={setPage}
      />
    </>
  )
  return (
    <section aria-label="My Supervisors">
      {teams && teams.length > searchFrom ? (
        <TextInput
          label="Search"
          type="search"
          placeholder="Name or email"
          maxLength={limits.nameMaxLength}
          value={typed}
          onChange={event => {
            setTyped(event.currentTarget.value)
            setPage(0)
          }}
          mb="md"
          maw={420}
        />
      ) : null}
      {whole.failure && teams && teams.length > 0 ? (
        <p className={styles.notice} role="status">
          What the teams have watched could not be loaded
          {whole.data ? '; completion and watch time below are from before.' : '.'} It is tried again by itself.
        </p>
      ) : null}
      {supervisors.failure ? (
        <LoadFailed
          message="Your supervisors could not be loaded. Please try again."
          failure={supervisors.failure}
          onRetry={supervisors.retry}
          retrying={supervisors.loading}
        >
          {list}
        </LoadFailed>
      ) : (
        (list ?? <SkeletonRows rows={4} height={72} />)
      )}
    </section>
  )
}

export function matches({ name, email }: Team['supervisor'], typed: string): boolean {
  const wanted = typed.trim().toLowerCase()
  return name.toLowerCase().includes(wanted) || email.toLowerCase().includes(wanted)
}

function Nobody({ searching, onRequest }: { searching: boolean; onRequest: () => void }) {
  if (searching) return <EmptyState title="Nobody found">Try another name or email.</EmptyState>
  return (
    <EmptyState
      title="No supervisors assigned yet"
      action={
        <Button variant="default" aria-haspopup="dialog" onClick={onRequest}>
          Ask for a supervisor
        </Button>
      }
    >
      Pick one with Request Supervisor. As soon as an administrator has approved it, the supervisor and their team
      appear here.
    </EmptyState>
  )
}
