import { Button, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import styles from '../playlists.module.css'
import { type DraftVideo, type PlaylistDraft, videoFrom } from './playlist-draft.ts'

interface AddVideoProps {
  draft: PlaylistDraft
  /** An error about the list as a whole. */
  error: string | undefined
  onAdd: (video: DraftVideo) => void
}

export function AddVideo({ draft, error, onAdd }: AddVideoProps) {
  const [source, setSource] = useState('')
  const [problem, setProblem] = useState<string>()
  const isFull = draft.videos.length >= limits.playlistMaxVideos

  function addVideo() {
    const addition = videoFrom(source, draft)
    if (!addition.ok) return setProblem(addition.message)
    setSource('')
    setProblem(undefined)
    onAdd(addition.video)
  }

  return (
    <TextInput
      id="add-video"
      // The button stands beside the field itself, so an error below does not move it.
      inputContainer={field => (
        <div className={styles.add}>
          {field}
          <Button variant="default" onClick={addVideo} disabled={isFull}>
            Add
          </Button>
        </div>
      )}
      label="Add a video"
      description="YouTube address or id, or the address of your own file (MP4, WebM or HLS)"
      placeholder="https://…"
      maxLength={limits.urlMaxLength}
      disabled={isFull}
      value={source}
      error={
        problem ?? error ?? (isFull ? `A playlist can hold at most ${limits.playlistMaxVideos} videos` : undefined)
      }
      onChange={event => {
        setSource(event.currentTarget.value)
        setProblem(undefined)
      }}
      onKeyDown={event => {
        if (event.key !== 'Enter') return
        // Enter adds the video and does not submit the form.
        event.preventDefault()
        addVideo()
      }}
    />
  )
}
