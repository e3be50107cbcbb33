import { ICalAlarmType, ICalCalendar, ICalEventTransparency } from 'ical-generator'
import type { DueTask } from './find-due-tasks.ts'

const dayS = 24 * 3_600
/** SEQUENCE is a 32-bit number in some calendars; seconds since then fit for 68 years. */
const firstSequenceAt = Date.UTC(2020, 0, 1)

/** A calendar must have a component, so an empty one has a time zone. */
const utcTimeZone = [
  ...['BEGIN:VTIMEZONE', 'TZID:Etc/UTC', 'BEGIN:STANDARD', 'DTSTART:19700101T000000'],
  ...['TZOFFSETFROM:+0000', 'TZOFFSETTO:+0000', 'TZNAME:UTC', 'END:STANDARD', 'END:VTIMEZONE'],
].join('\n')

/** The due dates as a calendar file (iCalendar, RFC 5545). The entries take no time. */
export function composeCalendar(tasks: readonly DueTask[], publicUrl: string | undefined): string {
  const calendar = new ICalCalendar({ prodId: { company: 'Watchline', product: 'Due dates', language: 'EN' } })
  if (tasks.length === 0) calendar.timezone({ name: 'Etc/UTC', generator: () => utcTimeZone })
  for (const { assignment, playlist } of tasks) {
    const { due, dueChangedAt, personId, playlistId } = assignment
    const address = publicUrl && `${publicUrl}/dashboard?${new URLSearchParams({ session: playlistId })}`
    const event = calendar.createEvent({
      // The same in every file, so that a second import updates the entry.
      id: `${playlistId}.${personId}@watchline`,
      // Grows with every change of the due date and of the playlist, as neither part ever shrinks.
      sequence: Math.floor((dueChangedAt.getTime() - firstSequenceAt) / 1000) + playlist.revision,
      // The library writes LAST-MODIFIED, URL and the busy status of Outlook after the alarm, where
      // the standard allows no properties. DTSTAMP says the same as the first.
      stamp: dueChangedAt,
      start: due.at,
      summary: toText(playlist.title),
      ...(address && { description: `Open the task: ${address}` }),
      transparency: ICalEventTransparency.TRANSPARENT,
    })
    event.createAlarm({ type: ICalAlarmType.display, triggerBefore: dayS, description: toText(playlist.title) })
  }
  // The library leaves out the end of the last line, which the standard demands.
  return `${calendar.toString()}\r\n`
}

/** A title may hold any text; a calendar file allows no control characters but line breaks. */
function toText(title: string): string {
  return title
    .replace(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/(?!\n)\p{Cc}/gu, ' ')
    .toWellFormed()
}
