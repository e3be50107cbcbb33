/** After a member of staff said that a video plays, new reports notify nobody for this long. */
const dismissalMs = 24 * 3600_000

/**
 * Decides whether a reported video is marked as unavailable. Reports of players never decide it
 * alone, because the mark frees everybody from the video. A firewall stops the player of a
 * supervisor as well as that of a trainee.
 */
export function isConfirmed({ isDecided, isGone }: { isDecided: boolean; isGone: boolean }): boolean {
  return isGone || isDecided
}

/** Whether a report that confirms nothing is put before the staff. */
export function needsDecision(open: { reports: readonly unknown[]; dismissedAt: Date | undefined }, now: number) {
  const isDismissed = open.dismissedAt !== undefined && now - open.dismissedAt.getTime() < dismissalMs
  return open.reports.length === 0 && !isDismissed
}
