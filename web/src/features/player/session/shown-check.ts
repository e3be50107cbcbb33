import type { AttentionCheck } from '@watchline/contracts/engagement'

/** An attention check, and the time in ms until which an answer is in time. */
export interface ShownCheck {
  id: string
  until: number
}

/**
 * Reads the attention checks in the answers to the reports of one session. A check that is overdue
 * before the session has shown it belongs to an earlier session. The server has noted it already,
 * so it must not pause this one.
 */
export function createCheckReader() {
  const shownIds = new Set<string>()
  return (check: AttentionCheck | undefined, answeredAt: number): ShownCheck | undefined => {
    if (!check || (check.answer_within_s === 0 && !shownIds.has(check.id))) return undefined
    shownIds.add(check.id)
    return toShownCheck(check, answeredAt)
  }
}

/** `answeredAt` is the time of the answer that named the check, in ms of this browser's clock. */
export function toShownCheck({ id, answer_within_s }: AttentionCheck, answeredAt: number): ShownCheck {
  return { id, until: answeredAt + answer_within_s * 1_000 }
}
