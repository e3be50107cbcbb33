import styles from './own-record.module.css'
import type { StoredKind } from './stored-data.ts'

/** Each kind of stored data: how much, who sees it, and how long it is kept. */
export function StoredDataTable({ kinds }: { kinds: readonly StoredKind[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Stored data">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">How much</th>
            <th scope="col">Who can see it</th>
            <th scope="col">Kept</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, amount, visibleTo, keptFor }) => (
            <tr key={kind}>
              <th scope="row">{kind}</th>
              <td>{amount ?? '…'}</td>
              <td className={styles.words}>{visibleTo}</td>
              <td className={styles.words}>{keptFor}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
