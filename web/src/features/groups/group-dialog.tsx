import { Button } from '@mantine/core'
import { skipToken } from '@reduxjs/toolkit/query'
import type { Group } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import { StackedDialog } from '../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { EmptyState, Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import { useLastValue } from '../../ui/hooks/use-last-value.ts'
import { useSending } from '../../ui/hooks/use-sending.ts'
import { GroupRecordButton } from '../../ui/tasks/group-record-button.tsx'
import { AddMembersDialog } from './add-members-dialog.tsx'
import { describeAssigners, describeSource } from './describe-source.ts'
import { EditGroupDialog } from './edit-group-dialog.tsx'
import { GroupMembers } from './group-members.tsx'
import styles from './groups.module.css'
import { useDeleteGroupMutation, useGetGroupQuery } from './groups-api.ts'
import { ImportMembersDialog } from './import-members-dialog.tsx'

interface GroupDialogProps {
  /** Undefined: closed. */
  opened: Pick<Group, 'id' | 'name'> | undefined
  onClose: () => void
}

/** A group with its members, and everything that can be done with it. */
export function GroupDialog({ opened, onClose }: GroupDialogProps) {
  const shown = useLastValue(opened)
  const [isPending, setPending] = useState(false)
  const polling = usePolling(isPending ? limits.groupPollMs : limits.adminPollMs)
  const query = useGetGroupQuery(opened ? { params: { id: opened.id } } : skipToken, polling)
  const group = query.data?.id === shown?.id ? query.data : undefined
  if (group && group.pending !== isPending) setPending(group.pending)
  return (
    <StackedDialog
      name="group"
      opened={opened !== undefined}
      onClose={onClose}
      size="lg"
      title={group?.name ?? shown?.name}
    >
      <LoadedGroup key={shown?.id} group={group} query={query} onClose={onClose} />
    </StackedDialog>
  )
}

interface LoadedGroupProps {
  group: Group | undefined
  query: { error?: unknown; isFetching: boolean; refetch: () => unknown }
  onClose: () => void
}

function LoadedGroup({ group, query, onClose }: LoadedGroupProps) {
  const { error, isFetching, refetch } = query
  const failure = error ? asFailure(error) : undefined
  if (failure?.code === 'not_found')
    return <EmptyState title="This group does not exist any more">Somebody deleted it.</EmptyState>
  return (
    <Loaded
      message="Couldn’t load the group."
      failure={failure}
      onRetry={refetch}
      retrying={isFetching}
      placeholder={<SkeletonRows rows={4} />}
    >
      {group && <GroupDetails group={group} onClose={onClose} />}
    </Loaded>
  )
}

type GroupChange = 'edit' | 'add' | 'import' | 'delete'

function GroupDetails({ group, onClose }: { group: Group; onClose: () => void }) {
  const [change, setChange] = useState<GroupChange>()
  const isManual = group.source.kind === 'manual'
  const endChange = () => setChange(undefined)
  return (
    <div className={styles.stack}>
      <dl className={styles.facts}>
        <dt>Members</dt>
        <dd aria-live="polite">
          {group.pending ? 'Looking for members…' : formatCount(group.member_count, 'person', 'people')}
        </dd>
        <dt>Source</dt>
        <dd>{describeSource(group)}</dd>
        <dt>May assign to it</dt>
        <dd>{describeAssigners(group)}</dd>
      </dl>
      <div className={styles.actions}>
        {isManual ? (
          <>
            <Button onClick={() => setChange('add')}>Add people…</Button>
            <Button variant="default" onClick={() => setChange('import')}>
              Add from a file…
            </Button>
          </>
        ) : null}
        <Button variant="default" onClick={() => setChange('edit')}>
          Edit…
        </Button>
        <GroupRecordButton group={group} />
        <Button variant="default" onClick={() => setChange('delete')}>
          Delete…
        </Button>
      </div>
      <GroupMembers group={group} />
      <AddMembersDialog group={group} opened={change === 'add'} onClose={endChange} />
      <ImportMembersDialog group={group} opened={change === 'import'} onClose={endChange} />
      <EditGroupDialog group={group} opened={change === 'edit'} onClose={endChange} />
      <DeleteGroupDialog group={group} opened={change === 'delete'} onClose={endChange} onDeleted={onClose} />
    </div>
  )
}

interface DeleteGroupDialogProps {
  group: Group
  opened: boolean
  onClose: () => void
  onDeleted: () => void
}

function DeleteGroupDialog({ group, opened, onClose, onDeleted }: DeleteGroupDialogProps) {
  const alerts = useAlerts()
  const [remove] = useDeleteGroupMutation()
  const { isSending, refusal, send } = useSending(opened)

  async function confirm() {
    const answer = await send(
      () => remove({ params: { id: group.id } }),
      'The group could not be deleted. Please try again.',
    )
    if (!answer) return
    alerts.succeed(`The group “${group.name}” is deleted`)
    onDeleted()
  }

  return (
    <StackedDialog
      name="delete-group"
      opened={opened}
      onClose={onClose}
      title={`Delete the group “${group.name}”?`}
      busy={isSending}
    >
      <div className={styles.stack}>
        <p>
          Its {formatCount(group.member_count, 'member')} keep their accounts. They lose the tasks that only this group
          gave them. What they watched stays recorded.
        </p>
        <p role="alert" className={styles.problem}>
          {refusal?.message}
        </p>
        <div className={styles.actions}>
          <Button color="red" onClick={confirm} loading={isSending}>
            Delete
          </Button>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
        </div>
      </div>
    </StackedDialog>
  )
}
