const format = new Intl.DateTimeFormat('en-GB', {
  ...{ timeZone: 'UTC', day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' },
})

/**
 * A due date in words, in its time zone: "31 January 2027 at 17:00 (Europe/Berlin)".
 * Notifications keep the words, so they cannot use the reader's time zone.
 */
export function formatDueDate({ local, time_zone }: { local: string; time_zone: string }): string {
  // UTC shows the local time unchanged.
  return `${format.format(new Date(`${local}Z`))} (${time_zone})`
}
