import type { Role } from '@watchline/contracts/people'

const confirmingReporters = 2

/**
 * Decides whether a reported video is marked as unavailable. One trainee alone never decides it,
 * because the mark frees everybody from the video. YouTube, staff or a second reporter must agree.
 */
export function isConfirmed(report: {
  /** Ids of all reporters, the current one included. */
  reporterIds: ReadonlySet<string>
  reporter: { role: Role }
  goneOnYoutube: boolean
}): boolean {
  return report.goneOnYoutube || report.reporter.role !== 'user' || report.reporterIds.size >= confirmingReporters
}
