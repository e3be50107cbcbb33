import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Logo } from '../../../ui/frame/logo.tsx'
import { ScreenTitle } from '../../../ui/frame/screen-title.tsx'
import styles from './password-form-frame.module.css'

/** The frame of the admin area's sign-in and setup forms. */
export function PasswordFormFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={styles.page}>
      <ScreenTitle name={title} />
      <div className={styles.card}>
        <p className={styles.brand}>
          <Logo /> Watchline
        </p>
        <h1 className={styles.title}>{title}</h1>
        {children}
      </div>
      <Link to="/" className={styles.back}>
        Back to sign-in
      </Link>
    </main>
  )
}

/** The reason why a form was rejected. */
export function FormError({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className={styles.error}>
      {children}
    </p>
  )
}
