import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { Avatar } from './avatar.tsx'
import styles from './person-line.module.css'
import { UnverifiedMark } from './unverified-mark.tsx'

interface PersonLineProps {
  /** The person's id. */
  id: string
  name: string
  /** The second line, usually an email address. */
  detail?: string
  /** Of the address in `detail`, if it is one. */
  verified?: boolean | undefined
  picture?: string | null
  /** The signed-in person. */
  isOwn?: boolean
}

/**
 * A person in a table or list: picture, name and a second line, truncated to the width, with the
 * full text on hover.
 */
export function PersonLine({ id, name, detail, verified, picture, isOwn = false }: PersonLineProps) {
  return (
    <span className={styles.person}>
      <Avatar id={id} name={name} picture={picture} />
      <span className={styles.words}>
        <span className={styles.name} title={name}>
          {name}
          {isOwn ? ' (you)' : null}
        </span>
        {detail ? (
          <span className={styles.detailLine}>
            <span className={styles.detail} title={detail}>
              {detail}
            </span>
            <UnverifiedMark verified={verified} />
          </span>
        ) : null}
      </span>
    </span>
  )
}

interface PersonButtonProps extends PersonLineProps {
  className?: string
  onOpen: () => void
}

/** A person as a button that opens a dialog about them. */
export function PersonButton({ className, onOpen, ...person }: PersonButtonProps) {
  return (
    <button
      type="button"
      className={className ? `${styles.button} ${className}` : styles.button}
      aria-haspopup="dialog"
      data-opens-row
      onClick={onOpen}
    >
      <PersonLine {...person} />
    </button>
  )
}

type ListedMember = Pick<MemberAnalytics, 'user_id' | 'name' | 'email' | 'email_verified' | 'picture'>

/** The button of a team member, as lists of members and of their tasks have them. */
export function MemberButton({ member, onOpen }: { member: ListedMember; onOpen: () => void }) {
  const { user_id: id, name, email, email_verified, picture } = member
  return <PersonButton id={id} name={name} detail={email} verified={email_verified} picture={picture} onOpen={onOpen} />
}
