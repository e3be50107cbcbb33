import type { ReportFigures, ReportGrouping, ReportStatus } from '@watchline/contracts/reports'

export const statusNames: Record<ReportStatus, string> = {
  completed_in_time: 'Completed in time',
  completed_late: 'Completed late',
  completed_without_due: 'Completed, no due date',
  open: 'Open',
  overdue: 'Overdue',
  missed: 'Missed',
  marked_done: 'Marked as done',
  exempt: 'Exempt',
}

export const groupingNames: Record<ReportGrouping, string> = {
  playlist: 'Playlist',
  team: 'Team',
  group: 'Group',
  person: 'Person',
  organisation: 'One total',
}

export const reportTitles: Record<ReportGrouping, string> = {
  playlist: 'Tasks by playlist',
  team: 'Tasks by team',
  group: 'Tasks by group',
  person: 'Tasks by person',
  organisation: 'Tasks in total',
}

/** The parts of the bar of a row, in order, with the states that each one contains. */
export const barParts = [
  { part: 'completed', label: 'Completed', states: ['completed_in_time', 'completed_late', 'completed_without_due'] },
  { part: 'closed', label: 'Marked as done or exempt', states: ['marked_done', 'exempt'] },
  { part: 'open', label: 'Open', states: ['open'] },
  { part: 'overdue', label: 'Overdue or missed', states: ['overdue', 'missed'] },
] as const

export type BarPart = (typeof barParts)[number]

export function countTasks(figures: ReportFigures, { states }: BarPart): number {
  return states.reduce((sum, state) => sum + figures[state], 0)
}
