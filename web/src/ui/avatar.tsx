import { useState } from 'react'
import styles from './avatar.module.css'
import { initialsOf } from './format.ts'

/** A person's picture, or their initials when there is none or it does not load. The name stands beside it, never here. */
export function Avatar({ name, picture, size = 32 }: { name: string; picture?: string | null; size?: number }) {
  const [broken, setBroken] = useState<string>()
  const style = { width: size, height: size, fontSize: size * 0.4 }
  if (picture && picture !== broken)
    return (
      <img
        className={styles.avatar}
        style={style}
        src={picture}
        alt=""
        referrerPolicy="no-referrer"
        loading="lazy"
        onError={() => setBroken(picture)}
      />
    )
  return (
    <span className={styles.avatar} style={style} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}
