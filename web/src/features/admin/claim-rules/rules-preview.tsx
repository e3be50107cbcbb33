import type { ClaimChange, ClaimPreview } from '@watchline/contracts/claim-rules'
import { formatCount } from '../../../ui/dates/format.ts'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import listStyles from '../../../ui/lists/list.module.css'
import { PersonLine } from '../../../ui/people/person-line.tsx'
import styles from './claim-rules.module.css'
import { leadingRoles } from './draft-rules.ts'

/** The people whom the rules of the form would change at their next sign-in. */
export function RulesPreview({ preview: { checked, changes, change_count } }: { preview: ClaimPreview }) {
  const unlisted = change_count - changes.length
  return (
    <section aria-labelledby="rules-preview">
      <h3 id="rules-preview" className={styles.subtitle}>
        Who would change
      </h3>
      <p className={styles.dim} role="status">
        {formatCount(change_count, 'person', 'people')} of {formatCount(checked, 'person', 'people')} whose claims are
        known from their last sign-in. Nothing is changed yet.
      </p>
      {changes.length === 0 ? (
        <EmptyState title="Nobody would change">
          {checked === 0
            ? 'Claims are known after people have signed in with this version of Watchline.'
            : 'Everybody has the role and team of the rules already, or no rule matches.'}
        </EmptyState>
      ) : (
        <ul className={listStyles.cards} aria-label="People who would change">
          {changes.map(change => (
            <li key={change.user.id} className={`${listStyles.card} ${styles.change}`}>
              <PersonLine
                id={change.user.id}
                name={change.user.name}
                detail={change.user.email}
                verified={change.user.email_verified}
              />
              <span>
                {describeChange(change)} <span className={styles.dim}>Rule {change.rule + 1}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
      {unlisted > 0 ? <p className={styles.dim}>and {formatCount(unlisted, 'other person', 'other people')}</p> : null}
    </section>
  )
}

/** "user → supervisor under Manager One." */
export function describeChange(change: ClaimChange): string {
  const { role_before, role_after, leader_before, leader_after, problem } = change
  const describeRole = (role: ClaimChange['role_after'], leader: string | null) => {
    if (leader === null) return role
    return leadingRoles[role] === 'manager' ? `${role} under ${leader}` : `${role} in the team of ${leader}`
  }
  const from = describeRole(role_before, leader_before)
  const to = describeRole(role_after, leader_after)
  const reason = problem === 'full' ? 'the team of the rule is full' : 'the leader of the rule leads no more'
  const sentence = from === to ? `Stays ${to}` : `${from} → ${to}`
  return problem ? `${sentence}; ${reason}.` : `${sentence}.`
}
