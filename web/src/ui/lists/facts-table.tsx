import styles from './facts-table.module.css'

interface FactsTableProps {
  label: string
  columns: readonly string[]
  /** The first text of a row is its heading. */
  rows: readonly (readonly string[])[]
}

/**
 * A table of short texts. On a phone each row is a block, with the column's name before each text.
 */
export function FactsTable({ label, columns, rows }: FactsTableProps) {
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          {columns.map(name => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([heading, ...texts]) => (
          <tr key={heading}>
            <th scope="row">{heading}</th>
            {texts.map((text, index) => (
              <td key={columns[index + 1]} data-column={columns[index + 1]}>
                {text}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
