import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { usePolling } from '../../api/polling.ts'
import { everyoneOnline, useListOnlineQuery } from './presence-api.ts'

export interface Online {
  /** Undefined until the first answer. */
  summary?: OnlineSummary
  /** The latest try failed: the summary, if any, is from before. */
  failed: boolean
}

/** Who is online, refreshed at the pace of a dashboard unless told otherwise. */
export function useOnline(everyMs: number = limits.onlineDashboardPollMs): Online {
  const { data, error } = useListOnlineQuery(everyoneOnline, usePolling(everyMs))
  return { summary: data, failed: error !== undefined }
}
