import { limits } from '@watchline/contracts/limits'
import { useHintedPolling } from '../../api/polling.ts'
import type { Online } from '../../ui/people/online-status.ts'
import { everyoneOnline, useListOnlineQuery } from './presence-api.ts'

/** The online summary, refreshed at the dashboard's interval by default. */
export function useOnline(everyMs: number = limits.onlineDashboardPollMs): Online {
  const { data, error } = useListOnlineQuery(everyoneOnline, useHintedPolling(everyMs))
  return { summary: data, failed: error !== undefined }
}
