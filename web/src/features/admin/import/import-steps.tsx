import styles from './people-import.module.css'

export type ImportStep = 1 | 2 | 3
const names = ['Choose a file', 'Check it', 'Bring them in']

/** The present step. `current` is undefined when all steps are done. */
export function ImportSteps({ current }: { current: ImportStep | undefined }) {
  return (
    <ol className={styles.steps} aria-label="Steps">
      {names.map((name, index) => {
        const number = index + 1
        const done = current === undefined || number < current
        return (
          <li
            key={name}
            className={styles.step}
            data-done={done || undefined}
            aria-current={number === current ? 'step' : undefined}
          >
            <span className={styles.number} aria-hidden="true">
              {done ? '✓' : number}
            </span>
            {name}
            {done ? <span className="wl-hidden"> (done)</span> : null}
          </li>
        )
      })}
    </ol>
  )
}
