import { Link } from 'react-router'
import { adminAddress } from '../admin-address.ts'
import styles from './managers-tab.module.css'

const actions = [
  {
    to: adminAddress.regularUsers,
    title: 'Assign users to supervisors',
    description: 'Open a user and pick whose team they are in.',
  },
  {
    to: adminAddress.users,
    title: 'Promote someone to manager',
    description: 'Find the person and give them the role.',
  },
  {
    to: adminAddress.import,
    title: 'Import people',
    description: 'Import many people, their roles and teams from a CSV file.',
  },
  {
    to: adminAddress.audit,
    title: 'See what was changed',
    description: 'Every administrative act: who did what to whom, and when.',
  },
]

/** Links to related tasks in other tabs. */
export function QuickActions() {
  return (
    <section aria-labelledby="quick-actions">
      <h2 id="quick-actions">Quick actions</h2>
      <ul className={styles.actions}>
        {actions.map(({ to, title, description }) => (
          <li key={title}>
            <Link to={to} className={styles.action}>
              <strong>{title}</strong>
              <span className={styles.dim}>{description}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
