import { useState } from 'react'
import styles from './avatar.module.css'
import { initialsOf } from './format.ts'

/**
 * A person's picture, or their initials if there is none or it does not load. The name is rendered
 * beside it, not here.
 */
export function Avatar({ name, picture, size = 32 }: { name: string; picture?: string | null; size?: number }) {
  const [brokenPicture, setBrokenPicture] = useState<string>()
  const style = { width: size, height: size, fontSize: size * 0.4 }
  if (picture && picture !== brokenPicture)
    return (
      <img
        className={styles.avatar}
        style={style}
        src={picture}
        alt=""
        referrerPolicy="no-referrer"
        loading="lazy"
        onError={() => setBrokenPicture(picture)}
      />
    )
  return (
    <span className={styles.avatar} style={style} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )
}
