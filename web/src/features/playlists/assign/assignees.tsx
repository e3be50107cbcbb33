import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { useRef } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useListTeamQuery } from '../../../api/lists.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { formatCount } from '../../../ui/format.ts'
import listStyles from '../../../ui/list.module.css'
import { PersonLine } from '../../../ui/person-line.tsx'
import { UndoableButton } from '../../../ui/undoable-button.tsx'
import { useKeptFocus } from '../../../ui/use-kept-focus.ts'
import { useUndoableCall } from '../../../ui/use-undoable-call.ts'
import styles from '../playlists.module.css'
import { useUnassignPlaylistMutation } from '../playlists-api.ts'
import { assignableTeam } from './assignable-team.ts'

/** The people who have the playlist as a task. Each can lose it again. */
export function Assignees({ playlist }: { playlist: Playlist }) {
  const { data } = useListTeamQuery(assignableTeam())
  const assigneeIds = new Set(playlist.assigned_users)
  const members = data?.items.filter(({ id }) => assigneeIds.has(id)) ?? []
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const unlistedCount = assigneeIds.size - members.length
  return (
    <section ref={section} tabIndex={-1} aria-label="Assigned to">
      <h3 className={styles.section}>
        Assigned to {assigneeIds.size === 0 ? 'nobody yet' : formatCount(assigneeIds.size, 'person', 'people')}
      </h3>
      <ul className={styles.lines}>
        {members.map(member => (
          <Assignee key={member.id} playlist={playlist} member={member} />
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

function Assignee({ playlist, member }: { playlist: Playlist; member: User }) {
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
      </span>
      <UndoableButton call={removal} variant="default" size="xs" progressLabel="Unassigning…" subject={member.name}>
        Unassign
      </UndoableButton>
    </li>
  )
}
