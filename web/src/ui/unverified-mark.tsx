import styles from './unverified-mark.module.css'

export const unverifiedMeaning =
  'The sign-in provider has not confirmed that this email address belongs to this person.'

/**
 * Marks an address that anybody could have typed at the sign-in provider. Shows nothing for a
 * verified one, and where it is unknown.
 */
export function UnverifiedMark({ verified }: { verified: boolean | undefined }) {
  if (verified !== false) return null
  return (
    <span className={styles.mark} title={unverifiedMeaning}>
      Unverified<span className="wl-hidden"> email address</span>
    </span>
  )
}
