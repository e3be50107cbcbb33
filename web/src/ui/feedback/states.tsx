import { Button } from '@mantine/core'
import { type ReactNode, useDeferredValue } from 'react'
import { explainFailure, type Failure } from '../../api/failure.ts'
import { handOverFocus } from '../controls/hand-over-focus.ts'
import styles from './states.module.css'

export interface EmptyStateProps {
  title: string
  /** The purpose of the list, and how it gets items. */
  children?: ReactNode
  action?: ReactNode
}

export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className={styles.state}>
      <svg className={styles.picture} viewBox="0 0 96 16" aria-hidden="true" focusable="false">
        <rect
          x="1"
          y="3"
          width="94"
          height="10"
          rx="5"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeDasharray="5 4"
        />
      </svg>
      <p className={styles.title}>{title}</p>
      {children ? <div className={styles.words}>{children}</div> : null}
      {action}
    </div>
  )
}

export interface LoadFailedProps {
  /** The failure, in the product's text: "Failed to load tasks. Please try again." */
  message: string
  /** The server's reason, if there is one. */
  failure?: Failure
  onRetry: () => void
  retrying?: boolean
  /** Set if the caller itself shows the earlier content, marked as old. */
  oldBelow?: boolean
  /** The earlier content; it stays, marked as old. */
  children?: ReactNode
}

export function LoadFailed({ message, failure, onRetry, retrying, oldBelow, children }: LoadFailedProps) {
  const explanation = failure && explainFailure(failure)
  const reason = explanation === message ? undefined : explanation
  // A note, not an alarm: the header says it already when there is no network, and a poll that an
  // overloaded server refused is repeated automatically.
  const isMinor = failure?.code === 'network' || (failure?.code === 'overloaded' && Boolean(children || oldBelow))
  return (
    <>
      <div ref={handOverFocus} className={styles.failed} role="alert" data-minor={isMinor || undefined}>
        <div>
          <p className={styles.failedTitle}>{message}</p>
          {reason ? <p className={styles.words}>{reason}</p> : null}
          {children || oldBelow ? <p className={styles.words}>Showing the last loaded data.</p> : null}
        </div>
        <Button variant="default" onClick={onRetry} loading={retrying}>
          Try Again
        </Button>
      </div>
      {children ? <div className={styles.old}>{children}</div> : null}
    </>
  )
}

export interface LoadedProps extends Omit<LoadFailedProps, 'oldBelow'> {
  /** Shown until there is content, unless loading fails. */
  placeholder?: ReactNode
}

/** Content that is loaded: a placeholder, the content, or the failure with the earlier content. */
export function Loaded({ placeholder, children, ...failed }: LoadedProps) {
  const hasContent = children !== undefined && children !== null
  // React renders content that replaces a placeholder in short tasks, so the page keeps answering.
  const showsContent = useDeferredValue(hasContent)
  if (failed.failure) return <LoadFailed {...failed}>{children}</LoadFailed>
  return hasContent && showsContent ? children : placeholder
}

/** Placeholder rows in the shape of the expected content. */
export function SkeletonRows({ rows = 5, height = 56 }: { rows?: number; height?: number }) {
  return (
    <div role="status" aria-label="Loading" className={styles.skeletons}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without identity
        <div key={row} className={styles.skeleton} style={{ height }} />
      ))}
    </div>
  )
}

/** `className` gives a height that depends on the screen. */
export function SkeletonCard({ height = 160, className }: { height?: number; className?: string | undefined }) {
  return (
    <div role="status" aria-label="Loading">
      <div className={`${styles.skeleton} ${className ?? ''}`} style={className ? undefined : { height }} />
    </div>
  )
}
