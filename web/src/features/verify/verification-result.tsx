import type { IssuedKind, Verification, VerificationStatus } from '@watchline/contracts/records'
import type { ReactNode } from 'react'
import { formatCount, formatExactTime, formatWatchTime } from '../../ui/dates/format.ts'
import styles from './verify.module.css'

const texts: Record<VerificationStatus, { title: string; text: string; mark: string; look: string | undefined }> = {
  valid: {
    title: 'Genuine',
    text: 'This document was issued here and is unchanged.',
    mark: '✓',
    look: styles.good,
  },
  replaced: {
    title: 'Genuine, but not the latest',
    text: 'This document was issued here and is unchanged. A newer one replaces it.',
    mark: '✓',
    look: styles.attention,
  },
  changed: {
    title: 'Changed',
    text: 'This document is not as it was issued. Do not rely on it; ask its owner for a new one.',
    mark: '✕',
    look: styles.bad,
  },
  removed: {
    title: 'Not in the register',
    text: 'This document has a valid signature, but it is missing from the list of issued documents. Do not rely on it, and tell the organisation.',
    mark: '✕',
    look: styles.bad,
  },
  unknown: {
    title: 'Unknown',
    text: 'No such document was issued here. Check that the code or file is complete, and that it belongs to this organisation.',
    mark: '?',
    look: styles.bad,
  },
}

const expired = {
  title: 'Genuine, but expired',
  text: 'This document was issued here and is unchanged. The completion was valid until the date below.',
  mark: '✓',
  look: styles.attention,
}

function isExpired({ details }: Verification): boolean {
  return details?.valid_until !== undefined && Date.parse(details.valid_until) <= Date.now()
}

/** The verdict in words and colour, and what a genuine document says. */
export function VerificationResult({ verification }: { verification: Verification }) {
  const { status } = verification
  const { title, text, mark, look } = status === 'valid' && isExpired(verification) ? expired : texts[status]
  return (
    <section className={`${styles.result} ${look}`} aria-labelledby="verdict">
      <h2 id="verdict">
        <span aria-hidden="true">{mark}</span> {title}
      </h2>
      <p>{text}</p>
      {verification.number === undefined ? null : <Details verification={verification} />}
    </section>
  )
}

const kindNames: Record<IssuedKind, string> = {
  record: 'Record',
  certificate: 'Certificate',
  group_record: 'Record of a group',
}

function describeCredit(seconds: number): string {
  return `${formatWatchTime(seconds)} (${seconds} s)`
}

function Details({ verification }: { verification: Verification }) {
  const { number, kind, issued_at, replaced_at, details } = verification
  const withAttempts = details?.credited_with_earlier_attempts
  const rows: [term: string, value: ReactNode][] = [
    ['Document', `${kind ? kindNames[kind] : ''} number ${number}`],
    ['Issued', issued_at && formatExactTime(issued_at)],
    ['Replaced', replaced_at && formatExactTime(replaced_at)],
    ['Group', details?.group],
    ['Part', details?.part && `${details.part.number} of ${details.part.of}`],
    ['Members', details?.members !== undefined && formatCount(details.members, 'person', 'people')],
    ['Person', details && !details.group && (details.name ?? 'Left out of this copy, or erased')],
    ['Completed', details?.completed_at && `${details.title}, ${formatExactTime(details.completed_at)}`],
    [
      isExpired(verification) ? 'Expired on' : 'Valid until',
      details?.valid_until && formatExactTime(details.valid_until),
    ],
    ['Period', details?.period && describePeriod(details.period)],
    ['Tasks', details?.tasks !== undefined && formatCount(details.tasks, 'task')],
    ['Credited', details && describeCredit(details.credited_seconds)],
    ['Credited, earlier attempts included', withAttempts !== undefined && describeCredit(withAttempts)],
  ]
  return (
    <>
      <dl className={styles.details}>
        {rows.map(([term, value]) =>
          value ? (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      <p className={styles.dim}>
        {details
          ? 'Compare this with the document in your hands.'
          : 'The person was erased, so only the seal is left. It names nobody.'}
      </p>
    </>
  )
}

function describePeriod({ from, until }: { from: string | null; until: string | null }): string {
  if (from && until) return `${from} to ${until}`
  if (from) return `From ${from} on`
  return until ? `Until ${until}` : 'Everything'
}
