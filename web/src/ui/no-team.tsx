import { EmptyState } from './states.tsx'

/** In place of the members of a team: none at all, or none found. */
export function NoTeam({ searching }: { searching: boolean }) {
  if (searching) return <EmptyState title="Nobody found">Try another name or email.</EmptyState>
  return (
    <EmptyState title="No team members assigned">
      Contact your administrator to assign users to your supervision
    </EmptyState>
  )
}
