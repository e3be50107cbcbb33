import { type Conditions, defaultConditions, describeConditions } from '@watchline/contracts/conditions'
import type { ReportMail, TeamDigest } from '@watchline/contracts/internal-operations'
import type { NotificationMailKind } from '@watchline/contracts/mail'
import { type ActivityGroup, createGroup } from './activity.ts'
import { formatDueDate } from './due-date.ts'
import { describeCause } from './uncompletable-cause.ts'

export const exampleDue = { local: '2027-01-31T17:00', time_zone: 'UTC' }
const exampleGraceUntil = { at: '2027-02-03T17:00:00.000Z', local: '2027-02-03T17:00', time_zone: 'UTC' }

/** The subject of the preview of a kind of mail. */
export function exampleOf(kind: NotificationMailKind): ActivityGroup & { kind: NotificationMailKind } {
  return { ...createGroupOf(kind), kind }
}

function createGroupOf(kind: NotificationMailKind): ActivityGroup {
  const person = { id: 'example', name: 'Your supervisor' }
  const playlist = { id: 'example', title: 'Fire safety' }
  const dueDate = formatDueDate(exampleDue)
  const video = { id: 'example', title: 'Fire exits' }
  const comment = { video, timestamp: 75, text: 'The second exit is on the left.' }
  const trainee = { id: 'example', name: 'A trainee' }
  const reason = 'Parental leave'
  switch (kind) {
    case 'task_due_soon':
    case 'task_overdue':
    case 'task_recurred':
      return createGroup({ kind, person: null, count: 1, playlist, text: dueDate })
    case 'task_in_grace':
      return createGroup({ kind, person: null, count: 1, playlist, text: dueDate, graceUntil: exampleGraceUntil })
    case 'task_assigned':
      return createGroup({ kind, person, count: 1, playlist, text: dueDate, note: 'Please watch it this week.' })
    case 'due_date_changed':
      return createGroup({ kind, person, count: 1, playlist, text: dueDate, reason })
    case 'terms_changed': {
      const text = describeConditions(exampleConditions).join(', ')
      return createGroup({ kind, person, count: 1, playlist, text, reason, conditions: exampleConditions })
    }
    case 'task_exempted':
    case 'task_marked_done':
    case 'override_taken_back':
    case 'task_reset':
      return createGroup({ kind, person, count: 1, playlist, text: reason })
    case 'task_reminded':
    case 'playlist_shared':
      return createGroup({ kind, person, count: 1, playlist })
    case 'task_uncompletable':
      return createGroup({ kind, person: trainee, count: 1, playlist, ...describeCause('no_playable_video') })
    case 'video_completed':
      return createGroup({ kind, person: trainee, count: 1, playlist, video })
    case 'playlist_completed':
      return createGroup({ kind, person: trainee, count: 1, playlist })
    case 'integrity':
      return createGroup({ kind, person: trainee, count: 3, playlist, video, notes: { skipped: 2, hidden: 1 } })
    case 'video_unavailable':
      return createGroup({ kind, person: trainee, count: 1, playlist, video, positive: true })
    case 'comment_to_approve':
      return createGroup({ kind, person: trainee, count: 1, playlist, ...comment })
    case 'comments_moved':
      return createGroup({ kind, person: trainee, count: 2, text: 'Another supervisor' })
    case 'comment_reviewed':
      return createGroup({ kind, person, count: 1, playlist, positive: true, ...comment })
    case 'comment_replied':
      return createGroup({ kind, person, count: 1, playlist, video, timestamp: comment.timestamp })
    case 'request_reviewed':
      return createGroup({ kind, person, count: 1, positive: true, text: 'From Monday on' })
    case 'supervisor_requested':
      return createGroup({ kind, person: { ...person, name: 'A manager' }, count: 1, text: 'A supervisor' })
    case 'manager_changed':
      return createGroup({ kind, person: { ...person, name: 'A manager' }, count: 1, positive: true })
    case 'token_reused':
      return createGroup({ kind, person: null, count: 1, text: '203.0.113.7' })
  }
}

const exampleConditions: Conditions = { ...defaultConditions, required_percent: 95, grace_days: 3, max_rate: 1.5 }

export const exampleDigest: TeamDigest = {
  overdue: 1,
  due_soon: 1,
  tasks: ['2027-01-29T17:00:00.000Z', '2027-02-02T17:00:00.000Z'].map((due, index) => ({
    ...{ person_id: 'example', person_name: `Trainee ${index + 1}` },
    ...{ playlist_id: 'example', playlist_title: 'Fire safety', due },
  })),
}

/** Of a manager's mail about escalated tasks, at the same moment. */
export const exampleEscalation: TeamDigest = {
  ...{ overdue: 2, due_soon: 0 },
  tasks: exampleDigest.tasks.map(task => ({ ...task, due: '2027-01-28T17:00:00.000Z' })),
}

/** A moment between the due dates of the example. */
export const exampleDigestTime = Date.parse('2027-01-31T08:00:00.000Z')

export const exampleReport: ReportMail = {
  ...{ name: 'Overdue tasks of the week', owner_name: 'Your manager', csv: { file_name: 'report.csv', content: '' } },
  period: { from: '2027-01-24', until: '2027-01-30' },
  filters: {
    ...{ group_name: 'Warehouse', playlist_title: 'Fire safety' },
    ...{ supervisor_name: 'Your supervisor', manager_name: 'Your manager' },
    status: 'overdue',
  },
  total: {
    ...{ people: 2, tasks: 2, completed_in_time: 0, completed_late: 0, completed_without_due: 0, open: 0, overdue: 2 },
    ...{ missed: 0, marked_done: 0, exempt: 0, credited_seconds: 5_025, completed_rate: 0, credited_in_period: 1_200 },
  },
}
