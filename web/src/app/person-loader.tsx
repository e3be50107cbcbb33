import { type ReactNode, use, useDeferredValue, useState } from 'react'
import { asFailure } from '../api/failure.ts'
import { gateway } from '../api/gateway.ts'
import type { Person } from '../api/signed-in-person.ts'
import { PageState } from '../ui/feedback/page-state.tsx'
import { LoadFailed } from '../ui/feedback/states.tsx'
import { PersonPageLoading } from './person-page-loading.tsx'
import { SessionEndingContext } from './session-ending.ts'

/** The offline page tries as often. Random, so that many pages do not ask at the same moment. */
const pickRetryMs = () => 5_000 * (1 + Math.random() / 2)

const { getSession } = gateway.endpoints

/** A page that waits until it is known whether somebody is signed in. */
export function PersonLoader({ children }: { children: (person: Person | null) => ReactNode }) {
  const isEnding = use(SessionEndingContext)
  const [retryMs] = useState(pickRetryMs)
  const { data, error, isFetching } = getSession.useQueryState(undefined)
  const failure = error && asFailure(error)
  const { refetch } = getSession.useQuerySubscription(undefined, {
    pollingInterval: data === undefined && failure ? Math.max(retryMs, (failure.retryAfter ?? 0) * 1_000) : 0,
    skipPollingIfUnfocused: true,
    refetchOnFocus: true,
  })
  // React renders a deferred value in short tasks, so a large first screen blocks no input.
  const shown = useDeferredValue(data)
  if (shown !== undefined && !isEnding) return children(shown)
  if (!failure) return <PersonPageLoading />
  return (
    <PageState title="Watchline cannot be reached">
      <LoadFailed
        message="Your sign-in could not be checked. Watchline tries again every few seconds."
        // Other reasons ask to try again, which happens by itself.
        failure={failure.code === 'network' ? failure : undefined}
        onRetry={refetch}
        retrying={isFetching}
      />
    </PageState>
  )
}
