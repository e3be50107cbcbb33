import { type ReactNode, useId } from 'react'

import styles from './settings.module.css'
import type { Condition, PartStatus } from './system-parts.tsx'

/** One part of the system: its purpose, its status and what to do. */
export function StatusCard({ name, purpose, status }: { name: string; purpose: string; status: PartStatus }) {
  const headingId = useId()
  const { condition, word, meaning, todo } = status
  return (
    <section className={styles.card} aria-labelledby={headingId} aria-busy={condition === 'asking'}>
      <h3 id={headingId} className={styles.name}>
        {name}
      </h3>
      <p className={styles.dim}>{purpose}</p>
      <p className={styles.status} data-condition={condition}>
        <ConditionShape condition={condition} />
        {word}
      </p>
      {meaning ? <p className={styles.meaning}>{meaning}</p> : null}
      {todo ? (
        <p className={styles.todo}>
          <strong>What to do:</strong> {todo}
        </p>
      ) : null}
    </section>
  )
}

/** Each condition has its own shape, so that nobody needs colour to distinguish them. */
function ConditionShape({ condition }: { condition: Condition }) {
  return (
    <svg
      viewBox="0 0 20 20"
      className={styles.shape}
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {shapes[condition]}
    </svg>
  )
}

const shapes: Record<Condition, ReactNode> = {
  good: (
    <>
      <circle cx="10" cy="10" r="8" />
      <path d="m6.5 10.2 2.4 2.4 4.6-5" />
    </>
  ),
  attention: (
    <>
      <path d="M10 2.5 18 17H2Z" />
      <path d="M10 8v4M10 14.4v.1" />
    </>
  ),
  bad: (
    <>
      <rect x="2.5" y="2.5" width="15" height="15" rx="2" />
      <path d="m7 7 6 6m0-6-6 6" />
    </>
  ),
  unknown: <circle cx="10" cy="10" r="8" strokeDasharray="3 4.2" />,
  asking: <path d="M5 10h.1M10 10h.1M15 10h.1" />,
}
