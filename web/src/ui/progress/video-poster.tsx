import { loadableUrlOf, posterUrlOf } from '@watchline/contracts/media'
import { useState } from 'react'
import { apiUrl } from '../../api/api-url.ts'
import styles from './video-poster.module.css'

export interface PosterVideo {
  id: string
  provider: 'youtube' | 'file'
  url?: string | null
  /** The address of an own file for this login session. */
  media_url?: string | undefined
}

interface VideoPosterProps {
  video: PosterVideo | undefined
  /** `large` for a whole stage. */
  size?: 'small' | 'large'
  /** Without a picture it renders nothing, because the video itself is behind it. */
  picturesOnly?: boolean
}

/**
 * A picture of a video in a frame of 16 to 9: YouTube's cover, the picture beside an own video, or
 * its first frame. Without any it is a play sign. Screen readers skip it. The server passes covers
 * on, because browsers must not call YouTube before a video plays.
 */
export function VideoPoster({ video, size = 'small', picturesOnly = false }: VideoPosterProps) {
  return (
    <span className={styles.frame} data-clear={picturesOnly || undefined} aria-hidden="true">
      {video ? (
        <Picture
          key={`${video.provider} ${video.id} ${video.url}`}
          video={video}
          size={size}
          picturesOnly={picturesOnly}
        />
      ) : (
        <PlaySign />
      )}
    </span>
  )
}

function Picture({ video, size, picturesOnly }: Required<VideoPosterProps> & { video: PosterVideo }) {
  const [failures, setFailures] = useState(0)
  // A refetched playlist may have new addresses of own files. The first ones stay valid.
  const [sources] = useState(() => sourcesOf(video, size))
  const source = sources.filter(({ kind }) => kind === 'picture' || !picturesOnly)[failures]
  const tryNext = () => setFailures(failures + 1)
  if (!source) return picturesOnly ? null : <PlaySign />
  if (source.kind === 'picture') return <img src={source.url} alt="" loading="lazy" onError={tryNext} />
  return <video src={source.url} preload="metadata" muted playsInline tabIndex={-1} onError={tryNext} />
}

function sourcesOf({ provider, id, ...file }: PosterVideo, size: 'small' | 'large') {
  if (provider === 'youtube') {
    const url = apiUrl(`/playlists/covers/${encodeURIComponent(id)}?size=${size}`)
    return [{ kind: 'picture', url }] as const
  }
  const url = loadableUrlOf(file)
  if (!url) return []
  // A moment into the video, because many videos begin black.
  const frame = { kind: 'frame', url: `${url}#t=0.5` } as const
  const posterUrl = posterUrlOf(url)
  return posterUrl ? ([{ kind: 'picture', url: posterUrl }, frame] as const) : [frame]
}

function PlaySign() {
  return (
    <svg viewBox="0 0 48 48" className={styles.sign} aria-hidden="true" focusable="false">
      <circle cx="24" cy="24" r="23" fill="rgb(0 0 0 / 55%)" stroke="#fff" strokeWidth="2" />
      <path d="M19 15v18l15-9z" fill="#fff" />
    </svg>
  )
}
