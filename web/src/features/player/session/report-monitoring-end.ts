import { setMonitoring } from '@watchline/contracts/playback'
import { callOperation } from '../../../api/call-operation.ts'

/**
 * Reports that a completed session is no longer monitored. The player has released its lock before;
 * the server ignores the report if another playlist is watched by then, and refuses it if another
 * session monitors.
 */
export async function reportMonitoringEnd(playlistId: string): Promise<void> {
  const answer = await callOperation(setMonitoring, { body: { is_monitoring: false, playlist_id: playlistId } })
  if (!answer.ok) console.warn('end of monitoring not reported, the lock expires without it', answer)
}
