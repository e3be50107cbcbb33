import { Button, Textarea, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playback'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useAlerts } from '../../ui/alerts.tsx'
import { formatCount, formatPosition } from '../../ui/format.ts'
import { AddVideo } from './add-video.tsx'
import { DraftVideos } from './draft-videos.tsx'
import { type ReadDuration, readMediaDuration } from './media-duration.ts'
import {
  checkDraft,
  emptyDraft,
  type FieldErrors,
  fieldErrors,
  keepDraft,
  loadDraft,
  type PlaylistDraft,
  totalSeconds,
} from './playlist-draft.ts'
import styles from './playlists.module.css'
import { useCreatePlaylistMutation } from './playlists-api.ts'

interface NewPlaylistFormProps {
  /** Where in this tab the draft is kept. */
  draftKey: string
  onCancel: () => void
  onCreated: (playlist: Playlist) => void
  readDuration?: ReadDuration
}

export function NewPlaylistForm({
  draftKey,
  onCancel,
  onCreated,
  readDuration = readMediaDuration,
}: NewPlaylistFormProps) {
  const alerts = useAlerts()
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState(() => loadDraft(draftKey))
  const [errors, setErrors] = useState<FieldErrors>({})
  const [problem, setProblem] = useState<string>()
  const [create, { isLoading: creating }] = useCreatePlaylistMutation()
  const empty = draft.title === '' && draft.description === '' && draft.videos.length === 0

  useEffect(() => keepDraft(draftKey, draft), [draftKey, draft])
  useEffect(() => {
    if (Object.keys(errors).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [errors])

  /** What is wrong with other fields stays said; where videos change places, what was said of them no longer fits. */
  function alter(change: (before: PlaylistDraft) => PlaylistDraft, mends: (field: string) => boolean) {
    setDraft(change)
    setProblem(undefined)
    setErrors(before => {
      const kept = Object.entries(before).filter(([field]) => !mends(field))
      return kept.length === Object.keys(before).length ? before : Object.fromEntries(kept)
    })
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const checked = checkDraft(draft)
    if (!checked.ok) return setErrors(checked.errors)
    const answer = await create({ body: checked.body })
    if (answer.error) {
      const { detail, errors: problems = [] } = asFailure(answer.error)
      setErrors(fieldErrors(problems))
      return setProblem(
        `${detail ?? 'The playlist could not be created. Please try again.'} Nothing you typed is lost.`,
      )
    }
    keepDraft(draftKey, emptyDraft)
    setDraft(emptyDraft)
    alerts.succeed('Playlist created', 'You can assign it to your team now.')
    onCreated(answer.data)
  }

  return (
    <form ref={form} className={styles.stack} onSubmit={submit} noValidate>
      <TextInput
        label="Title"
        required
        data-autofocus
        maxLength={limits.titleMaxLength}
        value={draft.title}
        error={errors.title}
        onChange={({ currentTarget: { value } }) =>
          alter(
            before => ({ ...before, title: value }),
            field => field === 'title',
          )
        }
      />
      <Textarea
        label="Description"
        rows={3}
        resize="vertical"
        maxLength={limits.descriptionMaxLength}
        value={draft.description}
        error={errors.description}
        onChange={({ currentTarget: { value } }) =>
          alter(
            before => ({ ...before, description: value }),
            field => field === 'description',
          )
        }
      />
      <AddVideo
        draft={draft}
        error={errors.videos}
        onAdd={video =>
          alter(
            before => ({ ...before, videos: [...before.videos, video] }),
            field => field === 'videos',
          )
        }
      />
      <DraftVideos
        videos={draft.videos}
        errors={errors}
        readDuration={readDuration}
        onEdit={(id, edit) =>
          alter(
            before => ({
              ...before,
              videos: before.videos.map(each => (each.id === id ? { ...each, ...edit(each) } : each)),
            }),
            field => field.startsWith(`videos.${draft.videos.findIndex(each => each.id === id)}.`),
          )
        }
        onArrange={videos =>
          alter(
            before => ({ ...before, videos }),
            field => field.startsWith('videos'),
          )
        }
      />
      <p className={styles.total}>
        <span>{formatCount(draft.videos.length, 'video')}</span>
        <span>Total duration {formatPosition(totalSeconds(draft))}</span>
      </p>
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={creating}>
          Create Playlist
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        {empty ? null : (
          <Button
            variant="subtle"
            ms="auto"
            onClick={() =>
              alter(
                () => emptyDraft,
                () => true,
              )
            }
          >
            Discard draft
          </Button>
        )}
      </div>
    </form>
  )
}
