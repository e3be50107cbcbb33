import { useEffect, useRef, useState } from 'react'
import styles from '../playlists.module.css'
import { DraftVideoRow, type MoveControl } from './draft-video-row.tsx'
import type { ReadDuration } from './media-duration.ts'
import type { DraftVideo, FieldErrors } from './playlist-draft.ts'
import { useRowDrag } from './use-row-drag.ts'

interface DraftVideosProps {
  videos: readonly DraftVideo[]
  errors: FieldErrors
  readDuration: ReadDuration
  onEdit: (id: string, edit: (video: DraftVideo) => Partial<DraftVideo>) => void
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

  function moveVideo(fromIndex: number, toIndex: number, control: MoveControl | undefined) {
    const video = videos[fromIndex]
    if (!video || toIndex === fromIndex || toIndex < 0 || toIndex >= videos.length) return
    const reorderedVideos = videos.filter(({ id }) => id !== video.id)
    reorderedVideos.splice(toIndex, 0, video)
    focusNext.current = control ? [control, 'up', 'down'].map(button => `${button}-${video.id}`) : []
    setAnnouncement(`${video.title || 'Video'} is now number ${toIndex + 1} of ${videos.length}`)
    onArrange(reorderedVideos)
  }

  function removeVideo(position: number) {
    const neighbour = videos[position + 1] ?? videos[position - 1]
    focusNext.current = [neighbour ? `remove-${neighbour.id}` : 'add-video']
    setAnnouncement(`${videos[position]?.title || 'Video'} removed`)
    onArrange(videos.filter((_, index) => index !== position))
  }

  const dragOf = useRowDrag((fromIndex, toIndex) => moveVideo(fromIndex, toIndex, undefined))

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
              onMove={(toIndex, control) => moveVideo(index, toIndex, control)}
              drag={dragOf(index)}
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
