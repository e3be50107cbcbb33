import { type ReactNode, useDeferredValue } from 'react'
import { asFailure } from '../api/failure.ts'
import { useGetSessionQuery } from '../api/gateway.ts'
import type { Person } from '../api/signed-in-person.ts'
import { PageState } from '../ui/feedback/page-state.tsx'
import { LoadFailed } from '../ui/feedback/states.tsx'
import { PersonPageLoading } from './person-page-loading.tsx'

/** A page that waits until it is known whether somebody is signed in. */
export function PersonLoader({ children }: { children: (person: Person | null) => ReactNode }) {
  const { data, error, isFetching, refetch } = useGetSessionQuery(undefined, { refetchOnFocus: true })
  // React renders a deferred value in short tasks, so a large first screen blocks no input.
  const shown = useDeferredValue(data)
  if (shown !== undefined) return children(shown)
  if (!error) return <PersonPageLoading />
  return (
    <PageState title="Watchline cannot be reached">
      <LoadFailed
        message="Your sign-in could not be checked. Please try again."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    </PageState>
  )
}
