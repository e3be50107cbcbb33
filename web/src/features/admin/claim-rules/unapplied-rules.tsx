import type { SavedClaimRules } from '@watchline/contracts/claim-rules'
import { formatCount } from '../../../ui/dates/format.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import listStyles from '../../../ui/lists/list.module.css'
import { PersonLine } from '../../../ui/people/person-line.tsx'
import styles from './claim-rules.module.css'

interface UnappliedRulesProps extends Pick<SavedClaimRules, 'problems'> {
  count: number
}

/** The people who have signed in and got the role of a rule, but not its team or manager. */
export function UnappliedRules({ problems, count }: UnappliedRulesProps) {
  if (count === 0) return null
  const unlisted = count - problems.length
  return (
    <section aria-labelledby="unapplied-rules">
      <h3 id="unapplied-rules" className={styles.subtitle}>
        Without the team or manager of their rule
      </h3>
      <p className={styles.dim}>
        They could sign in. Make room or change the rule; it is applied again at their next sign-in.
      </p>
      <ul className={listStyles.cards} aria-label="People without the team or manager of their rule">
        {problems.map(({ user, problem, leader_name, at }) => (
          <li key={user.id} className={`${listStyles.card} ${styles.change}`}>
            <PersonLine id={user.id} name={user.name} detail={user.email} verified={user.email_verified} />
            <span>
              {problem === 'full'
                ? `The team of ${leader_name ?? 'the supervisor'} is full.`
                : `${leader_name ?? 'The chosen person'} cannot lead them any more.`}{' '}
              <span className={styles.dim}>
                Signed in <RelativeTime time={at} inline />
              </span>
            </span>
          </li>
        ))}
      </ul>
      {unlisted > 0 ? <p className={styles.dim}>and {formatCount(unlisted, 'other person', 'other people')}</p> : null}
    </section>
  )
}
