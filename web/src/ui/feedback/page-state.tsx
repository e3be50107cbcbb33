import type { ReactNode } from 'react'
import { Logo } from '../frame/logo.tsx'
import styles from './page-state.module.css'

/**
 * A whole page with one message: loading, failed, redirecting. Small enough for the sign-in page.
 */
export function PageState({ title, children }: { title?: string; children?: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={styles.page}>
      <Logo size={40} />
      {title ? <h1 className={styles.title}>{title}</h1> : null}
      {children}
    </main>
  )
}

export function PageLoading({ title = 'Loading' }: { title?: string }) {
  return (
    <PageState>
      <p role="status" className={styles.loading}>
        {title}…
      </p>
    </PageState>
  )
}
