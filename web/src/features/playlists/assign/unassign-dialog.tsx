import { Button } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { StackedDialog } from '../../../ui/stacked-dialog.tsx'
import { useLastValue } from '../../../ui/use-last-value.ts'
import styles from '../playlists.module.css'
import { useUnassignPlaylistMutation } from '../playlists-api.ts'

interface Subject {
  playlist: Playlist
  member: User
}

export function UnassignDialog({ subject, onClose }: { subject: Subject | undefined; onClose: () => void }) {
  const shownSubject = useLastValue(subject)
  return (
    <StackedDialog name="unassign" opened={subject !== undefined} onClose={onClose} title="Unassign this task?">
      {shownSubject ? <Question subject={shownSubject} onClose={onClose} /> : null}
    </StackedDialog>
  )
}

function Question({ subject: { playlist, member }, onClose }: { subject: Subject; onClose: () => void }) {
  const alerts = useAlerts()
  const [problem, setProblem] = useState<string>()
  const [unassign, { isLoading }] = useUnassignPlaylistMutation()

  async function confirm() {
    const answer = await unassign({ params: { id: playlist.id }, body: { assigned_users: [member.id] } })
    if (answer.error) return setProblem(asFailure(answer.error).detail ?? 'Failed to unassign task')
    alerts.succeed(`Task unassigned from ${member.name}`)
    onClose()
  }

  return (
    <div className={styles.stack}>
      <p className={styles.description}>
        {member.name} will no longer see “{playlist.title}”. Credited watch time is kept.
      </p>
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button color="red" onClick={confirm} loading={isLoading}>
          Unassign
        </Button>
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
      </div>
    </div>
  )
}
