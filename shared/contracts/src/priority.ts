/**
 * The values of the header `Priority` (RFC 9218) for calls whose answer nobody waits for. Beyond
 * capacity the servers refuse polls first and reports next. A call without such a value is never
 * refused in favour of one with it.
 */
export const priorityHeader = {
  /** A report that the client keeps and sends again. */
  report: 'u=6',
  /** A read whose earlier answer the client still shows. */
  poll: 'u=7',
} as const

export type LowPriority = keyof typeof priorityHeader

/** The low priority that a request claims; undefined for a call that somebody waits for. */
export function lowPriorityOf(header: string | string[] | undefined): LowPriority | undefined {
  if (typeof header !== 'string') return undefined
  const urgency = /(?:^|,)\s*u=([67])\s*(?:,|$)/.exec(header)?.[1]
  if (urgency === undefined) return undefined
  return urgency === '7' ? 'poll' : 'report'
}
