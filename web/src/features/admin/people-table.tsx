import { Button, Table } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { Avatar } from '../../ui/avatar.tsx'
import { RoleBadge } from '../../ui/role-badge.tsx'
import styles from './people-table.module.css'

interface PeopleTableProps {
  people: readonly User[]
  onManage: (person: User) => void
  /** What is shown is the answer to the question before. */
  stale?: boolean
}

export function PeopleTable({ people, onManage, stale }: PeopleTableProps) {
  return (
    <div className={styles.card} aria-busy={stale}>
      <Table className={styles.table} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            <Table.Th className={styles.supervisor}>Supervisor</Table.Th>
            <Table.Th className={styles.role}>Role</Table.Th>
            <Table.Th className={styles.manage}>
              <span className="wl-hidden">Manage</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {people.map(person => (
            <Table.Tr key={person.id}>
              <Table.Td>
                <div className={styles.person}>
                  <Avatar name={person.name} picture={person.picture} size={36} />
                  <div className={styles.words}>
                    <span className={styles.name} title={person.name}>
                      {person.name}
                    </span>
                    <span className={styles.email} title={person.email}>
                      {person.email}
                    </span>
                    <span className={styles.narrow}>
                      <RoleBadge role={person.role} />
                      {person.role === 'user' ? (
                        <span className={styles.email} title={supervisorOf(person)}>
                          {supervisorOf(person)}
                        </span>
                      ) : null}
                    </span>
                  </div>
                </div>
              </Table.Td>
              <Table.Td className={styles.supervisor}>
                <span className={styles.name} title={supervisorOf(person)}>
                  {supervisorOf(person)}
                </span>
              </Table.Td>
              <Table.Td className={styles.role}>
                <RoleBadge role={person.role} />
              </Table.Td>
              <Table.Td className={styles.manage}>
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => onManage(person)}
                  aria-label={`Manage ${person.name}`}
                >
                  Manage
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** Only users have a supervisor; one whose name is not known, or none, is Unknown. */
function supervisorOf(person: User): string {
  if (person.role !== 'user') return '—'
  return person.supervisor_name ?? 'Unknown'
}
