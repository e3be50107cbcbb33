import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Logo } from './logo.tsx'
import styles from './public-page.module.css'
import { ScreenTitle } from './screen-title.tsx'

interface PublicPageProps {
  /** For the tab of the browser. */
  name: string
  heading: string
  /** Leaves room for tables. */
  isWide?: boolean
  children: ReactNode
}

/** The frame of a page that needs no sign-in: logo, heading and content in one column. */
export function PublicPage({ name, heading, isWide = false, children }: PublicPageProps) {
  return (
    <div className={styles.page}>
      <ScreenTitle name={name} />
      <main id="main" tabIndex={-1} className={styles.content} data-wide={isWide || undefined}>
        <p className={styles.brand}>
          <Logo size={28} /> <Link to="/">Watchline</Link>
        </p>
        <h1>{heading}</h1>
        {children}
      </main>
    </div>
  )
}
