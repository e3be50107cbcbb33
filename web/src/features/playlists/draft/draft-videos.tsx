import { useEffect, useRef, useState } from 'react'
import styles from '../playlists.module.css'
import { DraftVideoRow } from './draft-video-row.tsx'
import type { ReadDuration } from './media-duration.ts'
import type { DraftVideo, FieldErrors } from './playlist-draft.ts'

interface DraftVideosProps {
  videos: readonly DraftVideo[]
  errors: FieldErrors
  readDuration: ReadDuration
  onEdit: (id: string, edit: (before: DraftVideo) => Partial<DraftVideo>) => void
  /** Gets the same videos in another order, or fewer of them. */
  onArrange: (videos: DraftVideo[]) => void
}

/** The videos in their order. A move or removal keeps the focus in place and is announced. */
export function DraftVideos({ videos, errors, readDuration, onEdit, onArrange }: DraftVideosProps) {
  const [announcement, setAnnouncement] = useState('')
  const focusNext = useRef<string[]>([])

  useEffect(() => {
    const ids = focusNext.current
    focusNext.current = []
    for (const id of ids) {
      const element = document.getElementById(id)
      if (!element || element.matches(':disabled')) continue
      element.focus()
      return
    }
  })

  function moveVideo(from: number, by: -1 | 1) {
    const video = videos[from]
    const to = from + by
    if (!video || to < 0 || to >= videos.length) return
    const arranged = videos.filter(({ id }) => id !== video.id)
    arranged.splice(to, 0, video)
    focusNext.current = by < 0 ? [`up-${video.id}`, `down-${video.id}`] : [`down-${video.id}`, `up-${video.id}`]
    setAnnouncement(`${video.title || 'Video'} is now number ${to + 1} of ${videos.length}`)
    onArrange(arranged)
  }

  function removeVideo(at: number) {
    const neighbour = videos[at + 1] ?? videos[at - 1]
    focusNext.current = [neighbour ? `remove-${neighbour.id}` : 'add-video']
    setAnnouncement(`${videos[at]?.title || 'Video'} removed`)
    onArrange(videos.filter((_, index) => index !== at))
  }

  return (
    <>
      {videos.length === 0 ? null : (
        <ol className={styles.lines} aria-label="Videos">
          {videos.map((video, index) => (
            <DraftVideoRow
              key={video.id}
              video={video}
              index={index}
              count={videos.length}
              titleError={errors[`videos.${index}.title`]}
              durationError={errors[`videos.${index}.duration`]}
              readDuration={readDuration}
              onEdit={edit => onEdit(video.id, edit)}
              onMove={by => moveVideo(index, by)}
              onRemove={() => removeVideo(index)}
            />
          ))}
        </ol>
      )}
      <p role="status" className="wl-hidden">
        {announcement}
      </p>
    </>
  )
}
