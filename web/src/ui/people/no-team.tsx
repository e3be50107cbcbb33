import { EmptyState } from '../feedback/states.tsx'
import { PreparePlaylistLink } from '../tasks/prepare-playlist-link.tsx'

/** Shown instead of a team's members: there are none, or none was found. */
export function NoTeam({ isSearching }: { isSearching: boolean }) {
  if (isSearching) return <EmptyState title="Nobody found">Try another name or email.</EmptyState>
  return (
    <EmptyState title="No team members assigned" action={<PreparePlaylistLink />}>
      Contact your administrator to assign users to your supervision
    </EmptyState>
  )
}
