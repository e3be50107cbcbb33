import { Textarea, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { ReactNode } from 'react'
import { formatCount, formatPosition } from '../../../ui/dates/format.ts'
import styles from '../playlists.module.css'
import { AddVideo } from './add-video.tsx'
import { DraftVideos } from './draft-videos.tsx'
import type { ReadDuration } from './media-duration.ts'
import { type FieldErrors, type PlaylistDraft, totalSeconds } from './playlist-draft.ts'
import type { ChangeDraft } from './use-field-errors.ts'

interface FieldsProps {
  draft: PlaylistDraft
  errors: FieldErrors
  changeDraft: ChangeDraft
}

interface TextFieldsProps extends FieldsProps {
  /** Notes below the fields about changes by others. */
  notes?: Partial<Record<'title' | 'description', ReactNode>>
}

export function TextFields({ draft, errors, changeDraft, notes = {} }: TextFieldsProps) {
  return (
    <>
      <div>
        <TextInput
          label="Title"
          required
          data-autofocus
          maxLength={limits.titleMaxLength}
          value={draft.title}
          error={errors.title}
          onChange={({ currentTarget: { value } }) =>
            changeDraft(
              previous => ({ ...previous, title: value }),
              field => field === 'title',
            )
          }
        />
        {notes.title}
      </div>
      <div>
        <Textarea
          label="Description"
          rows={3}
          resize="vertical"
          maxLength={limits.descriptionMaxLength}
          value={draft.description}
          error={errors.description}
          onChange={({ currentTarget: { value } }) =>
            changeDraft(
              previous => ({ ...previous, description: value }),
              field => field === 'description',
            )
          }
        />
        {notes.description}
      </div>
    </>
  )
}

/** The list of videos, editable by hand. */
export function VideoFields({
  draft,
  errors,
  changeDraft,
  readDuration,
}: FieldsProps & { readDuration: ReadDuration }) {
  return (
    <>
      <AddVideo
        draft={draft}
        error={errors.videos}
        onAdd={video =>
          changeDraft(
            previous => ({ ...previous, videos: [...previous.videos, video] }),
            field => field === 'videos',
          )
        }
      />
      <DraftVideos
        videos={draft.videos}
        errors={errors}
        readDuration={readDuration}
        onEdit={(id, edit) =>
          changeDraft(
            previous => ({
              ...previous,
              videos: previous.videos.map(video => (video.id === id ? { ...video, ...edit(video) } : video)),
            }),
            field => field.startsWith(`videos.${draft.videos.findIndex(video => video.id === id)}.`),
          )
        }
        onArrange={videos =>
          changeDraft(
            previous => ({ ...previous, videos }),
            // Errors name videos by position, so they are invalid after a move.
            field => field.startsWith('videos'),
          )
        }
      />
      <p className={styles.total}>
        <span>{formatCount(draft.videos.length, 'video')}</span>
        <span>Total duration {formatPosition(totalSeconds(draft))}</span>
      </p>
    </>
  )
}
