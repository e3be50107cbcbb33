import type { Role } from '@watchline/contracts/people'
import styles from './role-badge.module.css'

export function RoleBadge({ role }: { role: Role }) {
  return (
    <span className={styles.badge} data-role={role}>
      {role}
    </span>
  )
}
