import { Button } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { useState } from 'react'
import { useListDetailViewsQuery } from '../../../api/detail-views.ts'
import { asFailure } from '../../../api/failure.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { DetailViewList } from '../../../ui/people/detail-view-list.tsx'

/** Opens the list of who looked at a person's details. */
export function DetailViewsButton({ person }: { person: User }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Who looked at this person…
      </Button>
      <StackedDialog
        name="detail-views"
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Who looked at ${person.name}`}
      >
        <Views userId={person.id} />
      </StackedDialog>
    </>
  )
}

function Views({ userId }: { userId: string }) {
  const { data, error, isFetching, refetch } = useListDetailViewsQuery(
    { query: { user_id: userId } },
    { refetchOnMountOrArgChange: true },
  )
  if (error)
    return (
      <LoadFailed
        message="Couldn’t load the list."
        failure={asFailure(error)}
        retrying={isFetching}
        onRetry={refetch}
      />
    )
  if (!data) return <SkeletonRows rows={3} />
  if (data.items.length === 0)
    return (
      <EmptyState title="Nobody so far">
        Everybody who opens or exports tasks or the watch record is listed here.
      </EmptyState>
    )
  return <DetailViewList views={data.items} />
}
