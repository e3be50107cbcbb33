import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { usePolling } from '../../api/polling.ts'
import { everyoneOnline, useListOnlineQuery } from './presence-api.ts'

export interface Online {
  /** Undefined until the first answer. */
  summary?: OnlineSummary
  /** The latest refresh failed; the summary, if any, is older. */
  failed: boolean
}

/** The online summary, refreshed at the dashboard's interval by default. */
export function useOnline(everyMs: number = limits.onlineDashboardPollMs): Online {
  const { data, error } = useListOnlineQuery(everyoneOnline, usePolling(everyMs))
  return { summary: data, failed: error !== undefined }
}
