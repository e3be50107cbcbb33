import type { ReportSchedule, SavedReport } from '@watchline/contracts/saved-reports'
import { movingPeriods } from './report-period.ts'
import { reportTitles, statusNames } from './report-words.ts'

export const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** "Every Monday at 08:00 (Europe/Berlin)" */
export function describeSchedule(schedule: ReportSchedule): string {
  const at = `at ${schedule.time} (${schedule.time_zone})`
  switch (schedule.every) {
    case 'day':
      return `Every day ${at}`
    case 'week':
      return `Every ${weekdayNames[schedule.weekday - 1]} ${at}`
    case 'month':
      return `On day ${schedule.day} of every month ${at}`
  }
}

/** "Tasks by person · Last 7 days · Overdue": what can be said without the names of others. */
export function describeChoice(report: SavedReport): string {
  const { by, period, status, playlist_id, group_id, supervisor_name, manager_name } = report
  return [
    reportTitles[by],
    movingPeriods[period],
    ...(status ? [statusNames[status]] : []),
    ...(playlist_id ? ['one playlist'] : []),
    ...(group_id ? ['one group'] : []),
    ...(supervisor_name ? [`the team of ${supervisor_name}`] : manager_name ? [`the teams of ${manager_name}`] : []),
  ].join(' · ')
}

/** "to you and 2 others" */
export function describeRecipients({ recipients }: SavedReport, ownId: string): string {
  const otherRecipients = recipients.filter(({ id }) => id !== ownId)
  const hasOwner = otherRecipients.length < recipients.length
  if (otherRecipients.length === 0) return hasOwner ? 'to you' : 'to nobody'
  if (otherRecipients.length === 1) return `to ${hasOwner ? 'you and ' : ''}${otherRecipients[0]!.name}`
  return `to ${hasOwner ? 'you and ' : ''}${otherRecipients.length} ${hasOwner ? 'others' : 'people'}`
}
