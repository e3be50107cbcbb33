import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { useId, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useListTeamQuery } from '../../../api/lists.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { managePerson } from '../../../ui/frame/frame-commands.ts'
import listStyles from '../../../ui/lists/list.module.css'
import { openableRow } from '../../../ui/lists/openable-row.ts'
import { PersonButton } from '../../../ui/people/person-line.tsx'
import styles from './team-size.module.css'
import { TeamSize } from './team-size.tsx'

/** The size of a supervisor's team, as a button that lists the team. */
export function TeamOpener({ supervisor }: { supervisor: User }) {
  const [isOpen, setOpen] = useState(false)
  // A table and its cards for phones both contain the opener of a team.
  const opener = useId()
  const { id, name, user_count: count = 0 } = supervisor
  return (
    <>
      <button
        type="button"
        className={styles.opener}
        aria-haspopup="dialog"
        aria-label={`${count}/${limits.supervisorCapacity} users: show the team of ${name}`}
        onClick={() => setOpen(true)}
      >
        <TeamSize count={count} />
      </button>
      <StackedDialog name={`team-${opener}`} opened={isOpen} onClose={() => setOpen(false)} title={`Team of ${name}`}>
        {isOpen ? <Team supervisorId={id} onClose={() => setOpen(false)} /> : null}
      </StackedDialog>
    </>
  )
}

function Team({ supervisorId, onClose }: { supervisorId: string; onClose: () => void }) {
  const query = { supervisor_id: supervisorId, role: 'user' as const, limit: limits.supervisorCapacity }
  const { data, error, isFetching, refetch } = useListTeamQuery({ query }, { refetchOnMountOrArgChange: true })
  if (error)
    return (
      <LoadFailed
        message="Couldn’t load the team."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    )
  if (!data) return <SkeletonRows rows={3} height={48} />
  if (data.items.length === 0)
    return <EmptyState title="No team members assigned">Put users into this team under All Users.</EmptyState>
  return (
    <ul className={listStyles.cards} aria-label="Team members">
      {data.items.map(member => (
        <li key={member.id} className={listStyles.card} {...openableRow}>
          <PersonButton
            id={member.id}
            name={member.name}
            detail={member.email}
            verified={member.email_verified}
            picture={member.picture}
            onOpen={() => {
              onClose()
              managePerson.send(member)
            }}
          />
        </li>
      ))}
    </ul>
  )
}
