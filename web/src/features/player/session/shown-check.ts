import type { AttentionCheck } from '@watchline/contracts/engagement'

/** An attention check, and the time in ms until which an answer is in time. */
export interface ShownCheck {
  id: string
  until: number
}

/** `answeredAt` is the time of the answer that named the check, in ms of this browser's clock. */
export function toShownCheck({ id, answer_within_s }: AttentionCheck, answeredAt: number): ShownCheck {
  return { id, until: answeredAt + answer_within_s * 1_000 }
}
