import { type ReactNode, useDeferredValue, useState } from 'react'
import { asFailure } from '../api/failure.ts'
import { useGetSessionQuery } from '../api/gateway.ts'
import { usePolling } from '../api/polling.ts'
import type { Person } from '../api/signed-in-person.ts'
import { PageState } from '../ui/feedback/page-state.tsx'
import { LoadFailed } from '../ui/feedback/states.tsx'
import { PersonPageLoading } from './person-page-loading.tsx'

/** The offline page tries as often. */
const retryMs = 5_000

/** A page that waits until it is known whether somebody is signed in. */
export function PersonLoader({ children }: { children: (person: Person | null) => ReactNode }) {
  const [isUnknown, setUnknown] = useState(false)
  const retries = usePolling(retryMs, isUnknown)
  const { data, error, isFetching, refetch } = useGetSessionQuery(undefined, { ...retries, refetchOnFocus: true })
  if (isUnknown !== (data === undefined && error !== undefined)) setUnknown(!isUnknown)
  // React renders a deferred value in short tasks, so a large first screen blocks no input.
  const shown = useDeferredValue(data)
  if (shown !== undefined) return children(shown)
  if (!error) return <PersonPageLoading />
  return (
    <PageState title="Watchline cannot be reached">
      <LoadFailed
        message="Your sign-in could not be checked. Watchline tries again every few seconds."
        failure={asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
      />
    </PageState>
  )
}
