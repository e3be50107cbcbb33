import type { Certificate, Issued, RecordedPerson, RecordedTask } from '@watchline/contracts/records'
import type { Person } from '@watchline/identity/people'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from '../context.ts'
import type { IssuedRecord } from '../store/issued-records.ts'
import { issueDocument } from './issue-document.ts'
import { presentPerson } from './load-record.ts'
import { parseContent } from './verify-document.ts'

type Deps = Pick<EngagementContext, 'clock' | 'issuedRecords' | 'recordKeys'>

/** A certificate before it is issued. */
export interface CertificateToIssue {
  person: RecordedPerson
  content: Certificate
}

/**
 * Issues the certificate of a completion, or finds the one that is issued already. The certificate
 * of a later completion stays, also if that one does not count any more: otherwise the earlier
 * completion would replace it, or get a second certificate.
 */
export function findOrAddCertificate(deps: Deps, tx: Transaction, certificate: CertificateToIssue): Promise<Issued> {
  const { person, content } = certificate
  return issueDocument(deps, tx, {
    ...{ kind: 'certificate', personId: person.id, subject: `certificate:${content.playlist_id}`, content },
    people: [person],
    isUnchanged: latest => isSameCertificate(latest, certificate) || isOfLaterCompletion(latest, certificate),
  })
}

function isOfLaterCompletion({ content }: IssuedRecord, { content: next }: CertificateToIssue): boolean {
  const issued = content === null ? undefined : parseContent(content)
  return issued?.format === 'watchline.certificate.1' && issued.completed_at > next.completed_at
}

/**
 * Whether it certifies the same completion in the same words. Later credit, such as the end of the
 * last video, changes no certificate.
 */
function isSameCertificate({ content, people }: IssuedRecord, { person, content: next }: CertificateToIssue): boolean {
  const issued = content === null ? undefined : parseContent(content)
  if (issued?.format !== 'watchline.certificate.1') return false
  const [named] = people
  return (
    (['playlist_id', 'title', 'completed_at', 'valid_until', 'time_zone'] as const).every(
      field => issued[field] === next[field],
    ) && (['id', 'name', 'role'] as const).every(field => named?.[field] === person[field])
  )
}

export async function composeCertificate(
  ctx: Pick<EngagementContext, 'people' | 'calendar'>,
  { id }: Pick<Person, 'id'>,
  { playlist_id, title, completed_at, credited_seconds, watch_time, valid_until }: CertifiedCompletion,
): Promise<CertificateToIssue> {
  return {
    person: await presentPerson(ctx, id),
    content: {
      ...{ format: 'watchline.certificate.1', time_zone: ctx.calendar.timeZone, person: 0, playlist_id, title },
      ...{ completed_at, credited_seconds, watch_time },
      ...(valid_until && { valid_until }),
    },
  }
}

/** The part of a completion that its certificate states. */
type CertifiedCompletion = Pick<
  RecordedTask,
  'playlist_id' | 'title' | 'credited_seconds' | 'watch_time' | 'valid_until'
> & {
  completed_at: string
}

/**
 * The completion of a task, or of its latest completed occurrence while the next one is open. With
 * `at` only the completion of that time (ISO 8601).
 */
export function findCertifiedCompletion(task: RecordedTask, at?: string): CertifiedCompletion | undefined {
  const { playlist_id, title, completed_at } = task
  if (completed_at !== null && (at ?? completed_at) === completed_at) return { ...task, completed_at }
  const occurrence = task.occurrences?.findLast(
    ({ outcome, closed_at }) => outcome === 'completed' && (at ?? closed_at) === closed_at,
  )
  const attempt = task.earlier_attempts.find(({ ended_at }) => ended_at === occurrence?.ended_at)
  if (!occurrence?.closed_at || !attempt) return undefined
  const { credited_seconds, watch_time } = attempt
  return {
    ...{ playlist_id, title, credited_seconds, watch_time, completed_at: occurrence.closed_at },
    ...(occurrence.valid_until && { valid_until: occurrence.valid_until }),
  }
}
