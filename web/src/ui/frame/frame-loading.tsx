import states from '../feedback/states.module.css'
import styles from './app-frame.module.css'
import { Logo } from './logo.tsx'

/**
 * The frame of every screen of a signed-in person, shown until the screen has loaded. Small enough
 * for the sign-in page.
 */
export function FrameLoading() {
  return (
    <>
      <div className={styles.header}>
        <span className={styles.brand}>
          <Logo /> <span className={styles.brandName}>Watchline</span>
        </span>
      </div>
      <main id="main" tabIndex={-1} className={styles.main}>
        <div role="status" aria-label="Loading" className={states.skeletons}>
          <div className={states.skeleton} style={{ height: 28, maxWidth: 280 }} />
          <div className={states.skeleton} style={{ height: 236 }} />
        </div>
      </main>
    </>
  )
}
