import styles from './unverified-mark.module.css'

export const unverifiedMeaning =
  'The sign-in provider has not confirmed that this email address belongs to this person.'

interface MarkedEmailProps {
  email: string
  verified: boolean | undefined
}

/** An address in one line, with a mark that a long address does not push out of sight. */
export function MarkedEmail({ email, verified }: MarkedEmailProps) {
  return (
    <span className={styles.line}>
      <span className={styles.email} title={email}>
        {email}
      </span>
      <UnverifiedMark verified={verified} />
    </span>
  )
}

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
