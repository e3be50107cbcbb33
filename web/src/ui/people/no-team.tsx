import type { Role } from '@watchline/contracts/people'
import { EmptyState } from '../feedback/states.tsx'
import { PreparePlaylistLink } from '../tasks/prepare-playlist-link.tsx'

interface NoTeamProps {
  viewerRole?: Role | undefined
  /** The search or the choice that leaves nobody in the list. */
  narrowedBy?: 'name' | 'name or email' | 'choice' | undefined
}

/** Shown instead of a team's members: there are none, or none was found. */
export function NoTeam({ viewerRole = 'supervisor', narrowedBy }: NoTeamProps) {
  if (narrowedBy === 'choice')
    return <EmptyState title="Nobody here">Nobody in this team matches your choice.</EmptyState>
  if (narrowedBy) return <EmptyState title="Nobody found">Try another {narrowedBy}.</EmptyState>
  return (
    <EmptyState title="No team members assigned" action={<PreparePlaylistLink />}>
      {viewerRole === 'supervisor'
        ? 'Contact your administrator to assign users to your supervision'
        : 'Trainees appear here once an administrator has assigned them to a supervisor.'}
    </EmptyState>
  )
}
