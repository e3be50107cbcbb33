import { Button } from '@mantine/core'
import type { ListedAssignment as Assignment } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { useRef } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useListTeamQuery } from '../../../api/lists.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { DueDate } from '../../../ui/due-date.tsx'
import { formatCount, formatDate } from '../../../ui/format.ts'
import listStyles from '../../../ui/list.module.css'
import { PersonLine } from '../../../ui/person-line.tsx'
import { LoadFailed } from '../../../ui/states.tsx'
import { UndoableButton } from '../../../ui/undoable-button.tsx'
import { useKeptFocus } from '../../../ui/use-kept-focus.ts'
import { useUndoableCall } from '../../../ui/use-undoable-call.ts'
import styles from '../playlists.module.css'
import { useListAssigneesQuery, useUnassignPlaylistMutation } from '../playlists-api.ts'
import { assignableTeam } from './assignable-team.ts'
import type { DueDateSubject } from './due-date-dialog.tsx'

interface AssigneesProps {
  playlist: Playlist
  /** Opens the choice of a due date. */
  onSetDue: (subject: DueDateSubject) => void
}

/** The people who have the playlist as a task, with their due dates. Each can lose it again. */
export function Assignees({ playlist, onSetDue }: AssigneesProps) {
  const { data } = useListTeamQuery(assignableTeam())
  const { assignments, failure, reload, isLoading } = useAssignments(playlist)
  const assigneeIds = new Set(playlist.assigned_users)
  const members = data?.items.filter(({ id }) => assigneeIds.has(id)) ?? []
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const open = members.flatMap(({ id, name }) => {
    const assignment = assignments.get(id)
    return assignment?.status === 'assigned' ? [{ user_id: id, name, due: assignment.due }] : []
  })
  const unlistedCount = assigneeIds.size - members.length
  return (
    <section ref={section} tabIndex={-1} aria-label="Assigned to">
      <h3 className={styles.section}>
        Assigned to {assigneeIds.size === 0 ? 'nobody yet' : formatCount(assigneeIds.size, 'person', 'people')}
      </h3>
      {open.length > 0 ? (
        <Button variant="default" size="xs" mb="xs" onClick={() => onSetDue({ playlist, assignees: open })}>
          Due dates
        </Button>
      ) : null}
      {failure ? (
        <LoadFailed message="Couldn’t load the due dates." failure={failure} onRetry={reload} retrying={isLoading} />
      ) : null}
      <ul className={styles.lines}>
        {members.map(member => (
          <Assignee key={member.id} playlist={playlist} member={member} assignment={assignments.get(member.id)} />
        ))}
      </ul>
      {data && unlistedCount > 0 ? (
        <p className={listStyles.dim}>
          {members.length > 0 ? 'and ' : ''}
          {formatCount(unlistedCount, 'person', 'people')} not in this list
        </p>
      ) : null}
    </section>
  )
}

function useAssignments({ id, assigned_users }: Playlist) {
  const { data, error, isFetching, refetch } = useListAssigneesQuery(
    { params: { id }, query: { limit: limits.pageMax } },
    { skip: assigned_users.length === 0, refetchOnMountOrArgChange: true },
  )
  return {
    assignments: new Map(data?.items.map(assignment => [assignment.user_id, assignment])),
    failure: error && asFailure(error),
    reload: refetch,
    isLoading: isFetching,
  }
}

interface AssigneeProps {
  playlist: Playlist
  member: User
  assignment: Assignment | undefined
}

function Assignee({ playlist, member, assignment }: AssigneeProps) {
  const alerts = useAlerts()
  const [unassign] = useUnassignPlaylistMutation()
  const removal = useUndoableCall(async () => {
    const { error } = await unassign({ params: { id: playlist.id }, body: { assigned_users: [member.id] } })
    if (error) alerts.fail('Failed to unassign task', asFailure(error))
    else alerts.succeed(`Task unassigned from ${member.name}`)
  })
  return (
    <li className={styles.line}>
      <span className={styles.grow}>
        <PersonLine
          id={member.id}
          name={member.name}
          detail={removal.isBusy ? 'Loses this task. Credited watch time is kept.' : member.email}
          verified={removal.isBusy ? undefined : member.email_verified}
          picture={member.picture}
        />
        <AssignmentState assignment={assignment} />
      </span>
      <UndoableButton call={removal} variant="default" size="xs" progressLabel="Unassigning…" subject={member.name}>
        Unassign
      </UndoableButton>
    </li>
  )
}

function AssignmentState({ assignment }: { assignment: Assignment | undefined }) {
  if (assignment?.completed_at)
    return <span className={styles.assignmentState}>✓ Completed {formatDate(assignment.completed_at)}</span>
  return assignment?.due ? (
    <span className={styles.assignmentState}>
      <DueDate due={assignment.due} />
    </span>
  ) : null
}
