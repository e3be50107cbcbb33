import { type CSSProperties, useState } from 'react'
import { initialsOf } from '../dates/format.ts'
import styles from './avatar.module.css'

interface AvatarProps {
  /** The person's id; it fixes the colour. */
  id: string
  name: string
  picture?: string | null
  /** Pixels. */
  size?: number
}

const hueStep = 15
const maxLargeLetters = 2

/**
 * A person's picture, or their initials if there is none or it does not load. The name is rendered
 * beside it, not here.
 */
export function Avatar({ id, name, picture, size = 32 }: AvatarProps) {
  const [brokenPicture, setBrokenPicture] = useState<string>()
  const style = { width: size, height: size }
  const initials = initialsOf(name)
  const hue = { '--hue': findHue(id) } as CSSProperties
  if (picture && picture !== brokenPicture)
    return (
      <img
        className={styles.avatar}
        style={style}
        src={`/api/users/${encodeURIComponent(id)}/picture?${new URLSearchParams({ url: picture })}`}
        alt=""
        loading="lazy"
        onError={() => setBrokenPicture(picture)}
      />
    )
  return (
    <span
      className={styles.avatar}
      style={{ ...style, ...hue, fontSize: size * (initials.length > maxLargeLetters ? 0.32 : 0.4) }}
      aria-hidden="true"
    >
      {initials}
    </span>
  )
}

/** Degrees. The same person has the same hue on every screen. */
function findHue(id: string): number {
  let hash = 0
  for (const letter of id) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) | 0
  return ((hash >>> 0) % (360 / hueStep)) * hueStep
}
