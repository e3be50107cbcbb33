import type { Role } from '@watchline/contracts/people'

/** After a member of staff said that a video plays, new reports notify nobody for this long. */
const dismissalMs = 24 * 3600_000

/**
 * Decides whether a reported video is marked as unavailable. Trainees alone never decide it,
 * however many report it, because the mark frees everybody from the video.
 */
export function isConfirmed({ reporter, isGone }: { reporter: { role: Role }; isGone: boolean }): boolean {
  return isGone || reporter.role !== 'user'
}

/** Whether a report that confirms nothing is put before the staff. */
export function needsDecision(open: { reports: readonly unknown[]; dismissedAt: Date | undefined }, now: number) {
  const isDismissed = open.dismissedAt !== undefined && now - open.dismissedAt.getTime() < dismissalMs
  return open.reports.length === 0 && !isDismissed
}
