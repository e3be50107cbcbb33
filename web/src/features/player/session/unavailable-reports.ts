import type { PlayerApi } from '../player-api.ts'

/**
 * Reports each unavailable video once. The server checks whether it is unavailable for everybody. A
 * failed report is not repeated, because the session does not depend on it.
 */
export function createUnavailableReports(
  api: Pick<PlayerApi, 'reportUnavailable'>,
  playlistId: string,
  log: (message: string, detail: unknown) => void,
) {
  const reported = new Set<string>()
  return (videoId: string, { code, reason }: { code: number; reason: string }): void => {
    log('video cannot be played, skipping it', { videoId, reason })
    if (reported.has(videoId)) return
    reported.add(videoId)
    void api.reportUnavailable(playlistId, videoId, code).then(answer => {
      if (!answer.ok) log('unplayable video not reported', { videoId, answer })
    })
  }
}
