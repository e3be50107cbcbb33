import { limits } from '@watchline/contracts/limits'
import { usePolling } from '../../../api/polling.ts'
import { useCountUsersQuery } from '../admin-api.ts'

/** The figures of the whole organisation, one answer for all who show some of it. */
export function useUserCounts() {
  return useCountUsersQuery(undefined, usePolling(limits.adminPollMs))
}
