import buttons from '../../ui/controls/plain-button.module.css'
import styles from './end-other-session.module.css'

/**
 * The second choice of a person whose other session is in the way, for instance on a lost device.
 */
export function EndOtherSession({ url }: { url: string | undefined }) {
  if (url === undefined) return null
  return (
    <>
      <a className={buttons.quiet} href={url}>
        End the other session and sign in
      </a>
      <p className={styles.note}>
        You sign in at the sign-in provider once more. What the other session has saved is kept.
      </p>
    </>
  )
}
