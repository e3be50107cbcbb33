import { createSubscribable } from '../ui/hooks/subscribable.ts'
import { useSubscribable } from '../ui/hooks/use-subscribable.ts'

/** The stream is healthy while heartbeats arrive in time, so that no hint is missed for long. */
const isHealthy = createSubscribable(false)

export const setStreamHealthy = isHealthy.set

export function useStreamHealth(): boolean {
  return useSubscribable(isHealthy)
}
