import {
  type ReportFigures,
  type ReportGrouping,
  type ReportRow,
  type ReportStatus,
  reportStatus,
} from '@watchline/contracts/reports'
import type { CountedTask } from './list-tasks.ts'

/** The tasks and the rows of a report. */
export interface TaskReportQuery {
  by: ReportGrouping
  /** The first and the last day; undefined without a bound. */
  from?: string | undefined
  until?: string | undefined
  playlist_ids?: readonly string[] | undefined
  /** Only people who are members of this group. */
  group_id?: string | undefined
  status?: ReportStatus | undefined
}

/** Sums over tasks. Adding tasks one by one needs no list of them. */
type ReportSums = Omit<ReportFigures, 'credited_seconds' | 'completed_rate' | 'credited_in_period'> &
  Pick<CountedTask, 'creditedHundredths' | 'creditedInPeriodHundredths'>

interface DraftRow {
  name: string | null
  email: string | null
  sums: ReportSums
}

/** A report that is being made. The key of a row is its id; empty for null. */
export interface TaskReportDraft {
  by: ReportGrouping
  rows: Map<string, DraftRow>
  total: ReportSums
}

/** A person whose tasks a report counts. */
export interface CountedPerson {
  id: string
  name: string
  email: string
  supervisorId: string | null
  /** Only for a report by group: those that may be rows. */
  groups?: readonly { id: string; name: string }[] | undefined
}

export function startTaskReport(by: ReportGrouping): TaskReportDraft {
  const everybody = { name: null, email: null, sums: emptySums() }
  return { by, rows: new Map(by === 'organisation' ? [['', everybody]] : []), total: emptySums() }
}

/** Adds the selected tasks of a person. Each person must be added once only. */
export function addToTaskReport(draft: TaskReportDraft, person: CountedPerson, tasks: readonly CountedTask[]): void {
  if (tasks.length === 0) return
  draft.total.people += 1
  const own = new Set<ReportSums>()
  for (const task of tasks) {
    addTask(draft.total, task)
    for (const { sums } of findRows(draft, person, task)) {
      own.add(sums)
      addTask(sums, task)
    }
  }
  for (const sums of own) sums.people += 1
}

/** The rows in the order of their first task. Rows of teams have no names yet. */
export function listRows(draft: TaskReportDraft): ReportRow[] {
  return [...draft.rows].map(([key, { name, email, sums }]) => ({
    ...{ id: key === '' ? null : key, name, email },
    ...presentSums(sums),
  }))
}

export function presentSums({
  creditedHundredths,
  creditedInPeriodHundredths,
  ...counts
}: ReportSums): Required<ReportFigures> {
  const { completed_in_time, completed_late, completed_without_due, exempt, tasks } = counts
  const completed = completed_in_time + completed_late + completed_without_due
  return {
    ...counts,
    credited_seconds: creditedHundredths / 100,
    completed_rate: tasks > exempt ? Math.floor((100 * completed) / (tasks - exempt)) : null,
    credited_in_period: creditedInPeriodHundredths / 100,
  }
}

/** Several rows count the task only if the person is in several groups. */
function findRows({ by, rows }: TaskReportDraft, person: CountedPerson, { playlist }: CountedTask): DraftRow[] {
  return describeRows(by, person, playlist).map(({ key, ...names }) => {
    const stored = rows.get(key)
    if (stored) return stored
    const added = { ...names, sums: emptySums() }
    rows.set(key, added)
    return added
  })
}

/** The names of supervisors are added later, once for each. */
function describeRows(by: ReportGrouping, person: CountedPerson, playlist: CountedTask['playlist']) {
  switch (by) {
    case 'playlist':
      return [{ key: playlist.id, name: playlist.title, email: null }]
    case 'team':
      return [{ key: person.supervisorId ?? '', name: null, email: null }]
    case 'group':
      return person.groups && person.groups.length > 0
        ? person.groups.map(({ id, name }) => ({ key: id, name, email: null }))
        : [{ key: '', name: null, email: null }]
    case 'person':
      return [{ key: person.id, name: person.name, email: person.email }]
    case 'organisation':
      return [{ key: '', name: null, email: null }]
  }
}

function addTask(sums: ReportSums, { status, creditedHundredths, creditedInPeriodHundredths }: CountedTask): void {
  sums.tasks += 1
  sums[status] += 1
  sums.creditedHundredths += creditedHundredths
  sums.creditedInPeriodHundredths += creditedInPeriodHundredths
}

function emptySums(): ReportSums {
  const counts = Object.fromEntries(reportStatus.options.map(status => [status, 0]))
  return { people: 0, tasks: 0, creditedHundredths: 0, creditedInPeriodHundredths: 0, ...counts } as ReportSums
}
