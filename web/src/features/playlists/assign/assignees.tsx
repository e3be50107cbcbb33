import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ListedAssignment as Assignment } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import { useRef, useState } from 'react'
import { countAssignees, describeAssigneeScope } from '../../../api/assignees.ts'
import { asFailure } from '../../../api/failure.ts'
import type { Person } from '../../../api/signed-in-person.ts'
import { UndoableButton } from '../../../ui/controls/undoable-button.tsx'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { useUndoableCall } from '../../../ui/controls/use-undoable-call.ts'
import { formatCount, formatDate } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import listStyles from '../../../ui/lists/list.module.css'
import { PersonLine } from '../../../ui/people/person-line.tsx'
import { ConditionsNote } from '../../../ui/tasks/conditions-note.tsx'
import { DueDate } from '../../../ui/tasks/due-date.tsx'
import { RecurrenceLine } from '../../../ui/tasks/recurrence-note.tsx'
import { OverrideNote, ResetNote } from '../../../ui/tasks/task-override.tsx'
import styles from '../playlists.module.css'
import { useUnassignPlaylistMutation } from '../playlists-api.ts'
import type { DueDateSubject } from './due-date-dialog.tsx'
import type { OverrideSubject } from './override-dialog.tsx'
import { type Member, useAssignees } from './use-assignees.ts'

interface AssigneesProps {
  playlist: Playlist
  person: Person
  /** Opens the choice of a due date. */
  onSetDue: (subject: DueDateSubject) => void
  /** Opens the choice of an exception. */
  onOverride: (subject: OverrideSubject) => void
}

const placeholderRows = 5

/** The people who have the playlist as a task, with their due dates. Each can lose it again. */
export function Assignees({ playlist, person, onSetDue, onOverride }: AssigneesProps) {
  const [searchText, setSearchText] = useState('')
  const [searchTerm] = useDebouncedValue(searchText.trim(), limits.searchDebounceMs)
  const { members, assignments, isSearchable, isReady, failure, reload, isLoading } = useAssignees(playlist, searchTerm)
  const assigneeCount = countAssignees(playlist)
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const assignees = members.flatMap(({ id, name }) => {
    const assignment = assignments.get(id)
    return assignment ? [{ ...assignment, name }] : []
  })
  const changeable = assignees.filter(
    ({ status, override, recurrence }) => (status === 'assigned' && !override) || recurrence,
  )
  const unlistedCount = assigneeCount - members.length
  const scope = describeAssigneeScope(person)
  return (
    <section ref={section} tabIndex={-1} aria-label="Assigned to">
      <h3 className={styles.section}>
        Assigned to{' '}
        {assigneeCount === 0 ? `nobody${scope} yet` : `${formatCount(assigneeCount, 'person', 'people')}${scope}`}
      </h3>
      {isSearchable ? (
        <TextInput
          label="Search people"
          type="search"
          placeholder="Beginning of a name or email"
          maxLength={limits.nameMaxLength}
          mb="xs"
          value={searchText}
          onChange={event => setSearchText(event.currentTarget.value)}
        />
      ) : null}
      {isReady ? null : <SkeletonRows rows={Math.min(assigneeCount, placeholderRows)} height={60} />}
      {isReady && assignees.length > 0 ? (
        <div className={styles.actions}>
          {changeable.length > 0 ? (
            <Button variant="default" size="xs" mb="xs" onClick={() => onSetDue({ playlist, assignees: changeable })}>
              Due dates
            </Button>
          ) : null}
          <Button variant="default" size="xs" mb="xs" onClick={() => onOverride({ playlist, assignees })}>
            Exceptions
          </Button>
        </div>
      ) : null}
      {failure ? (
        <LoadFailed message="Couldn’t load the due dates." failure={failure} onRetry={reload} retrying={isLoading} />
      ) : null}
      <ul className={styles.lines}>
        {(isReady ? members : []).map(member => (
          <Assignee key={member.id} playlist={playlist} member={member} assignment={assignments.get(member.id)} />
        ))}
      </ul>
      {isReady && assignees.some(({ by_hand }) => by_hand === false) ? (
        <p className={listStyles.dim}>
          Members keep the task of a group. To take it from one person, exempt them under Exceptions.
        </p>
      ) : null}
      {isReady && !failure && searchTerm !== '' && members.length === 0 ? (
        <p className={listStyles.dim}>Nobody who has this task is found under that name.</p>
      ) : null}
      {isReady && unlistedCount > 0 ? (
        <p className={listStyles.dim}>
          {members.length > 0 ? 'and ' : ''}
          {formatCount(unlistedCount, 'person', 'people')} not in this list
        </p>
      ) : null}
    </section>
  )
}

interface AssigneeProps {
  playlist: Playlist
  member: Member
  assignment: Assignment | undefined
}

function Assignee({ playlist, member, assignment }: AssigneeProps) {
  const alerts = useAlerts()
  const [unassign] = useUnassignPlaylistMutation()
  const removal = useUndoableCall(async () => {
    const { data, error } = await unassign({ params: { id: playlist.id }, body: { assigned_users: [member.id] } })
    if (error) alerts.fail('Failed to unassign task', asFailure(error))
    else if (data.kept_by_group) alerts.succeed(`${member.name} keeps the task by a group`)
    else alerts.succeed(`Task unassigned from ${member.name}`)
  })
  const isDeactivated = assignment?.deactivated !== undefined
  const detail = isDeactivated ? 'Deactivated: cannot complete this task' : member.email
  return (
    <li className={styles.line}>
      <span className={styles.grow}>
        <PersonLine
          id={member.id}
          name={member.name}
          detail={removal.isBusy ? 'Loses this task. Credited watch time is kept.' : (detail ?? '')}
          verified={removal.isBusy || isDeactivated ? undefined : member.email_verified}
          picture={member.picture ?? null}
        />
        <AssignmentState assignment={assignment} />
        {assignment?.groups?.length ? (
          <span className={styles.assignmentState}>
            By group {assignment.groups.map(({ name }) => name).join(', ')}
          </span>
        ) : null}
      </span>
      {assignment?.by_hand === false ? null : (
        <UndoableButton call={removal} variant="default" size="xs" progressLabel="Unassigning…" subject={member.name}>
          Unassign
        </UndoableButton>
      )}
    </li>
  )
}

function AssignmentState({ assignment }: { assignment: Assignment | undefined }) {
  if (assignment?.completed_at)
    return (
      <span className={styles.assignmentState}>
        ✓ Completed {formatDate(assignment.completed_at)} <RecurrenceLine task={assignment} />
      </span>
    )
  if (assignment?.override)
    return (
      <span className={styles.assignmentState}>
        <OverrideNote override={assignment.override} /> <RecurrenceLine task={assignment} />
      </span>
    )
  return assignment?.due || assignment?.conditions || assignment?.reset ? (
    <span className={`${styles.assignmentState} ${styles.termsNote}`}>
      {assignment.reset ? <ResetNote reset={assignment.reset} /> : null}
      {assignment.due ? <DueDate due={assignment.due} graceUntil={assignment.grace_until} /> : null}
      <RecurrenceLine task={assignment} />
      <ConditionsNote task={assignment} />
    </span>
  ) : null
}
