import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { AuditEntry } from '@watchline/contracts/audit'
import { createTimeFormat } from '../../../ui/dates/time-format.ts'
import { descendingFirst, type ServerOrder } from '../../../ui/lists/server-order.ts'
import { ColumnHeader, type Sorting } from '../../../ui/lists/sort-header.tsx'
import { EraseButton } from '../people/erase-button.tsx'
import styles from './audit.module.css'
import { actionNames, auditComment, describeEntry } from './describe-entry.ts'

interface AuditEntriesProps {
  entries: readonly AuditEntry[]
  sorting: Sorting<ServerOrder<'time'>>
  /** The entries answer the previous query. */
  stale?: boolean
}

/** A table, or a list on a narrow screen. */
export function AuditEntries({ entries, sorting, stale }: AuditEntriesProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (isNarrow)
    return (
      <ul className={styles.entries} aria-label="Audit log" aria-busy={stale}>
        {entries.map(entry => (
          <li key={entry.id} className={styles.entry}>
            <span className={styles.dim}>
              <ExactTime time={entry.at} />
              {entry.address ? `, from ${entry.address}` : null}
            </span>
            <EntryText entry={entry} />
            {entry.subject ? <span className={styles.dim}>{entry.subject.email}</span> : null}
          </li>
        ))}
      </ul>
    )
  return (
    <div className={styles.table} aria-busy={stale}>
      <Table layout="fixed" aria-label="Audit log">
        <Table.Thead>
          <Table.Tr>
            <ColumnHeader sorting={sorting} {...descendingFirst('time')} w={248}>
              When
            </ColumnHeader>
            <Table.Th>What happened</Table.Th>
            <Table.Th w="26%">Person</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map(entry => (
            <Table.Tr key={entry.id}>
              <Table.Td className={styles.when}>
                <ExactTime time={entry.at} />
                <span className={styles.dim}>{actionNames[entry.action]}</span>
                {entry.address ? <span className={styles.dim}>from {entry.address}</span> : null}
              </Table.Td>
              <Table.Td>
                <EntryText entry={entry} />
              </Table.Td>
              <Table.Td>
                {entry.subject ? (
                  <>
                    <span className={styles.cut} title={entry.subject.name}>
                      {entry.subject.name}
                    </span>
                    <span className={`${styles.cut} ${styles.dim}`} title={entry.subject.email}>
                      {entry.subject.email}
                    </span>
                  </>
                ) : (
                  <span className={styles.dim}>Nobody in particular</span>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function EntryText({ entry }: { entry: AuditEntry }) {
  const comment = auditComment(entry)
  return (
    <>
      <span className={styles.act}>{describeEntry(entry)}</span>
      {comment ? <span className={styles.comment}>“{comment}”</span> : null}
      {isOnlyHere(entry) ? <EraseButton person={entry.subject!} /> : null}
    </>
  )
}

/**
 * Entries about people whom no list of people has. A withdrawn invitation may also be of somebody
 * who has an account.
 */
function isOnlyHere({ action, subject }: AuditEntry): boolean {
  return (action === 'deleted' || action === 'admin_invitation_withdrawn') && Boolean(subject?.email)
}

const timeWithSeconds = createTimeFormat({ dateStyle: 'medium', timeStyle: 'medium' })

/** Shows seconds, because the order of two entries often matters. */
function ExactTime({ time }: { time: string }) {
  return (
    <time dateTime={time} className={styles.time}>
      {timeWithSeconds(Date.parse(time))}
    </time>
  )
}
