import { Button, Checkbox, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { matchesSearch } from '@watchline/contracts/search-text'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { asFailure } from '../../../api/failure.ts'
import { useReadOwnSupervisorsQuery } from '../../../api/lists.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import listStyles from '../../../ui/lists/list.module.css'
import { MarkedEmail } from '../../../ui/people/unverified-mark.tsx'
import styles from '../playlists.module.css'
import { useSharePlaylistWithMutation, useUnsharePlaylistMutation } from '../playlists-api.ts'

interface ShareDialogProps {
  playlist: Playlist | undefined
  onClose: () => void
  onShared: (playlist: Playlist) => void
}

/** A manager chooses the supervisors who share a playlist, more of them or fewer. */
export function ShareDialog({ playlist, onClose, onShared }: ShareDialogProps) {
  const shownPlaylist = useLastValue(playlist)
  return (
    <StackedDialog
      name="share-playlist"
      opened={playlist !== undefined}
      onClose={onClose}
      title={<>Share “{shownPlaylist?.title}”</>}
    >
      {shownPlaylist ? <LoadedShareForm playlist={shownPlaylist} onClose={onClose} onShared={onShared} /> : null}
    </StackedDialog>
  )
}

type FormProps = Omit<ShareDialogProps, 'playlist'> & { playlist: Playlist }

function LoadedShareForm(props: FormProps) {
  const { data, error, isFetching, refetch } = useReadOwnSupervisorsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  if (!data && error)
    return (
      <LoadFailed
        message="Couldn’t load your supervisors."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    )
  if (!data) return <SkeletonRows rows={4} height={48} />
  if (data.length === 0)
    return (
      <EmptyState
        title="You have no supervisors yet"
        action={
          <Button component={Link} to="?tab=supervisors" onClick={props.onClose}>
            My Supervisors
          </Button>
        }
      >
        Request a supervisor first; once an administrator has approved it, you can share playlists with them.
      </EmptyState>
    )
  return <ShareForm {...props} supervisors={data} />
}

const searchFrom = 8

function ShareForm({ playlist, supervisors, onClose, onShared }: FormProps & { supervisors: readonly User[] }) {
  const alerts = useAlerts()
  const [searchText, setSearchText] = useState('')
  const [sharedIds, setSharedIds] = useState<readonly string[]>(playlist.shared_with)
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(() => new Set(playlist.shared_with))
  const [isConfirming, setConfirming] = useState(false)
  const { isSending, refusal, clearRefusal, send } = useSending()
  const [share] = useSharePlaylistWithMutation()
  const [unshare] = useUnsharePlaylistMutation()

  const addedSupervisors = supervisors.filter(({ id }) => chosenIds.has(id) && !sharedIds.includes(id))
  const removedSupervisors = supervisors.filter(({ id }) => !chosenIds.has(id) && sharedIds.includes(id))
  const unlistedCount = sharedIds.filter(id => !supervisors.some(supervisor => supervisor.id === id)).length
  const matchingSupervisors = supervisors.filter(({ name, email }) => matchesSearch(searchText, name, email))

  function choose(id: string, isChosen: boolean) {
    const nextIds = new Set(chosenIds)
    if (isChosen) nextIds.add(id)
    else nextIds.delete(id)
    setChosenIds(nextIds)
    clearRefusal()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (removedSupervisors.length > 0) setConfirming(true)
    else void save()
  }

  /**
   * Shares with the added supervisors, then unshares with the removed. If the second fails, the
   * first stays.
   */
  async function save() {
    setConfirming(false)
    const params = { id: playlist.id }
    if (addedSupervisors.length > 0) {
      const answer = await send(() => share({ params, body: idsOf(addedSupervisors) }), 'Failed to share playlist')
      if (!answer) return
      setSharedIds(answer.shared_with)
      onShared(answer)
      alerts.succeed('Playlist shared successfully with selected supervisors!')
    }
    if (removedSupervisors.length > 0) {
      const answer = await send(
        () => unshare({ params, body: idsOf(removedSupervisors) }),
        `The playlist could not be taken back from ${namesOf(removedSupervisors)}. Please try again.`,
      )
      if (!answer) return
      setSharedIds(answer.shared_with)
      onShared(answer)
      alerts.succeed(`Playlist taken back from ${namesOf(removedSupervisors)}`, 'Their assignments stay.')
    }
    onClose()
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      {supervisors.length > searchFrom ? (
        <TextInput
          label="Search"
          type="search"
          placeholder="Name or email"
          maxLength={limits.nameMaxLength}
          value={searchText}
          onChange={event => setSearchText(event.currentTarget.value)}
        />
      ) : null}
      <fieldset className={styles.choices}>
        <legend>Shared with</legend>
        {matchingSupervisors.map(supervisor => (
          <Checkbox
            key={supervisor.id}
            className={styles.choice}
            checked={chosenIds.has(supervisor.id)}
            disabled={isSending}
            onChange={event => choose(supervisor.id, event.currentTarget.checked)}
            label={
              <span className={styles.choiceWords}>
                <span className={listStyles.cut} title={supervisor.name}>
                  {supervisor.name}
                </span>
                <MarkedEmail email={supervisor.email} verified={supervisor.email_verified} />
              </span>
            }
          />
        ))}
        {matchingSupervisors.length === 0 ? (
          <p className={listStyles.dim}>No supervisor is found under that name.</p>
        ) : null}
      </fieldset>
      {unlistedCount > 0 ? (
        <p className={listStyles.dim}>and {formatCount(unlistedCount, 'supervisor', 'supervisors')} not in this list</p>
      ) : null}
      <p role="alert" className={styles.problem}>
        {refusal?.message}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isSending} disabled={addedSupervisors.length + removedSupervisors.length === 0}>
          Save
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
      <StackedDialog
        name="unshare"
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Take this playlist back?"
      >
        <div className={styles.stack}>
          <p className={styles.description}>
            {namesOf(removedSupervisors)} will no longer see “{playlist.title}”. Their assignments stay.
          </p>
          <div className={styles.actions}>
            <Button color="red" onClick={save}>
              Take Back
            </Button>
            <Button variant="default" onClick={() => setConfirming(false)} data-autofocus>
              Cancel
            </Button>
          </div>
        </div>
      </StackedDialog>
    </form>
  )
}

const idsOf = (supervisors: readonly User[]) => ({ supervisor_ids: supervisors.map(({ id }) => id) })

const maxNames = 3

function namesOf(supervisors: readonly User[]): string {
  const names = supervisors.slice(0, maxNames).map(({ name }) => name)
  const moreCount = supervisors.length - names.length
  if (moreCount > 0) return `${names.join(', ')} and ${moreCount} more`
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '')
}
