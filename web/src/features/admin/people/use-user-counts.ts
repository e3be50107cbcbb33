import { limits } from '@watchline/contracts/limits'
import { usePolling } from '../../../api/polling.ts'
import { useCountUsersQuery } from '../admin-api.ts'

/** The figures of the whole organisation. All cards share one query. */
export function useUserCounts() {
  return useCountUsersQuery(undefined, usePolling(limits.adminPollMs))
}
