import type { TaskOverride, TaskReset } from '@watchline/contracts/assignments'
import { formatDate } from '../dates/format.ts'
import styles from './task-override.module.css'

/** The state of a task that a superior closed without its videos. */
export const overrideNames: Record<TaskOverride['kind'], string> = {
  exempt: 'Exempt',
  marked_done: 'Marked as done',
}

/** `Exempt by Supervisor One (supervisor), 3 Nov 2026: “On leave”`. */
export function OverrideNote({ override }: { override: TaskOverride }) {
  return <DecisionNote name={overrideNames[override.kind]} decision={override} />
}

/** `Started again by Supervisor One (supervisor), 3 Nov 2026: “Wrong account”`. */
export function ResetNote({ reset }: { reset: TaskReset }) {
  return <DecisionNote name="Started again" decision={reset} />
}

function DecisionNote({ name, decision: { by, at, reason } }: { name: string; decision: TaskReset }) {
  return (
    <span className={styles.override}>
      <span className={styles.state}>{name}</span> by {nameAuthor(by)}, <time dateTime={at}>{formatDate(at)}</time>
      {reason ? `: “${reason}”` : null}
    </span>
  )
}

/** The author of an exception, with their role. */
export function nameAuthor(by: TaskOverride['by']): string {
  return by ? `${by.name} (${by.role})` : 'a superior'
}

export function OverrideBadge({ override: { kind } }: { override: TaskOverride }) {
  return <span className={styles.badge}>{overrideNames[kind]}</span>
}
