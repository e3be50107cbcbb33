/** From which date on a person counts in a chart. */
export interface Membership {
  /** ISO 8601. */
  from: string
  /**
   * False if `from` is only the date of the account's creation. Such a date never begins a chart.
   */
  isKnown: boolean
}

/** The known dates of a person's beginning, in ISO 8601. */
interface KnownDates {
  /** The person joined the present supervisor's team. */
  joined: string | undefined
  /** The earliest of the present assignments. */
  assigned: string | undefined
  /** The first credit for a present assignment. */
  credited: string | undefined
  /** The account was created. */
  created: string
}

/**
 * In the chart of one team, a person counts from the day they joined it. In the chart of several
 * teams, a move from one to another changes nothing, so the earliest known date counts. That date
 * also replaces an unknown day of joining.
 */
export function findMembership({ joined, assigned, credited, created }: KnownDates, isOneTeam: boolean): Membership {
  if (isOneTeam && joined !== undefined) return { from: joined, isKnown: true }
  const [earliest] = [joined, assigned, credited].filter(date => date !== undefined).sort()
  return earliest === undefined ? { from: created, isKnown: false } : { from: earliest, isKnown: true }
}
