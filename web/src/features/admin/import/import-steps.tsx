import styles from './people-import.module.css'

export type ImportStep = 1 | 2 | 3
const stepNames = ['Choose a file', 'Check it', 'Import']

/** The present step. `current` is undefined when all steps are done. */
export function ImportSteps({ current }: { current: ImportStep | undefined }) {
  return (
    <ol className={styles.steps} aria-label="Steps">
      {stepNames.map((name, index) => {
        const number = index + 1
        const isDone = current === undefined || number < current
        return (
          <li
            key={name}
            className={styles.step}
            data-done={isDone || undefined}
            aria-current={number === current ? 'step' : undefined}
          >
            <span className={styles.number} aria-hidden="true">
              {isDone ? '✓' : number}
            </span>
            {name}
            {isDone ? <span className="wl-hidden"> (done)</span> : null}
          </li>
        )
      })}
    </ol>
  )
}
