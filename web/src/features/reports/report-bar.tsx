import type { ReportFigures } from '@watchline/contracts/reports'
import { barParts, countTasks } from './report-words.ts'
import styles from './reports.module.css'

/** The tasks of a row by state, as one bar. The figures beside it are its text alternative. */
export function ReportBar({ figures }: { figures: ReportFigures }) {
  return (
    <span className={styles.bar} aria-hidden="true">
      {barParts.map(barPart => {
        const count = countTasks(figures, barPart)
        return count > 0 ? <span key={barPart.part} data-part={barPart.part} style={{ flexGrow: count }} /> : null
      })}
    </span>
  )
}

export function BarLegend() {
  return (
    <ul className={styles.legend} aria-label="Parts of the bars">
      {barParts.map(({ part, label }) => (
        <li key={part}>
          <span className={styles.swatch} data-part={part} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  )
}
