import type { Issued, RecordedTask, WatchingRecord } from '@watchline/contracts/records'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from '../context.ts'
import { issueDocument } from './issue-document.ts'

type Deps = Pick<EngagementContext, 'clock' | 'issuedRecords' | 'recordKeys'>

/** Issues the certificate of a completed task, or finds the one that says the same. */
export function addCertificate(
  deps: Deps,
  tx: Transaction,
  { people, time_zone }: Pick<WatchingRecord, 'people' | 'time_zone'>,
  completion: CertifiedCompletion,
): Promise<Issued> {
  const [person] = people
  const { playlist_id, title, completed_at, credited_seconds, watch_time, valid_until } = completion
  return issueDocument(deps, tx, {
    kind: 'certificate',
    personId: person!.id,
    subject: `certificate:${playlist_id}`,
    content: {
      ...{ format: 'watchline.certificate.1', time_zone, person: 0, playlist_id, title },
      ...{ completed_at, credited_seconds, watch_time },
      ...(valid_until && { valid_until }),
    },
    people: [person!],
  })
}

/** The part of a completion that its certificate states. */
type CertifiedCompletion = Pick<
  RecordedTask,
  'playlist_id' | 'title' | 'credited_seconds' | 'watch_time' | 'valid_until'
> & {
  completed_at: string
}

/** The completion of a task, or of its latest completed occurrence while the next one is open. */
export function findCertifiedCompletion(
  { tasks }: Pick<WatchingRecord, 'tasks'>,
  playlistId: string,
): CertifiedCompletion | undefined {
  const task = tasks.find(({ playlist_id }) => playlist_id === playlistId)
  if (!task) return undefined
  if (task.completed_at !== null) return { ...task, completed_at: task.completed_at }
  const occurrence = task.occurrences?.findLast(({ outcome }) => outcome === 'completed')
  const attempt = task.earlier_attempts.find(({ ended_at }) => ended_at === occurrence?.ended_at)
  if (!occurrence?.closed_at || !attempt) return undefined
  const { playlist_id, title } = task
  const { credited_seconds, watch_time } = attempt
  return {
    ...{ playlist_id, title, credited_seconds, watch_time, completed_at: occurrence.closed_at },
    ...(occurrence.valid_until && { valid_until: occurrence.valid_until }),
  }
}
