import type { Video } from '@watchline/contracts/playlists'
import { useState } from 'react'
import styles from './trainee.module.css'

/** The first video's picture; only the play glyph if there is none or it does not load. */
export function TaskCover({ video }: { video: Video | undefined }) {
  const [broken, setBroken] = useState(false)
  const markBroken = () => setBroken(true)
  return (
    <div className={styles.cover}>
      {!video || broken ? <PlayGlyph /> : <Picture video={video} onError={markBroken} />}
    </div>
  )
}

function Picture({ video, onError }: { video: Video; onError: () => void }) {
  if (video.provider === 'youtube')
    return <img src={`https://i.ytimg.com/vi/${video.id}/mqdefault.jpg`} alt="" onError={onError} />
  // A moment into the video, because many videos begin black. It is muted and not focusable,
  // because it serves as a picture.
  return (
    <video
      src={`${video.url ?? ''}#t=0.5`}
      preload="metadata"
      muted
      playsInline
      tabIndex={-1}
      aria-hidden
      onError={onError}
    />
  )
}

function PlayGlyph() {
  return (
    <svg viewBox="0 0 48 48" className={styles.glyph} aria-hidden="true" focusable="false">
      <circle cx="24" cy="24" r="23" fill="rgb(0 0 0 / 55%)" stroke="#fff" strokeWidth="2" />
      <path d="M19 15v18l15-9z" fill="#fff" />
    </svg>
  )
}
