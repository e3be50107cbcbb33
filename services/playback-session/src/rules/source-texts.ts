import type { Playlist, PlaylistChange, PlaylistSource } from './playlist.ts'

/** Title and description of a playlist on YouTube. */
export type SourceTexts = Pick<Playlist, 'title' | 'description'>

type Imported = SourceTexts & { source: PlaylistSource }
type TextChange = Pick<PlaylistChange, 'title' | 'description'> & { source: PlaylistSource }

/** The title of a playlist whose title YouTube no longer gives, or whose title was removed. */
export const removedPlaylistTitle = 'YouTube playlist'

/** Adopts new texts of the source, where no person has edited the playlist's own. */
export function adoptTexts(current: Imported, { title, description }: SourceTexts): TextChange {
  const { source } = current
  const followsTitle = current.title === source.title
  const followsDescription =
    source.description === undefined
      ? current.description === description
      : source.description !== null && current.description === source.description
  return {
    source: { ...source, title, description: followsDescription ? description : null },
    ...(followsTitle && { title }),
    ...(followsDescription && { description }),
  }
}

/**
 * Removes the texts of the source. A person's own texts stay, and stay their own after the next
 * reading. The description of an earlier version stays, because nobody knows whose it is.
 */
export function removeTexts(current: Imported): TextChange {
  const change = removeDescription(current)
  // No playlist has an empty title, so a title of a person's own follows nothing.
  if (current.title !== current.source.title) return { ...change, source: { ...change.source, title: '' } }
  return { ...change, title: removedPlaylistTitle, source: { ...change.source, title: removedPlaylistTitle } }
}

function removeDescription({ description, source }: Imported): TextChange {
  if (source.description === undefined) return { source }
  if (source.description !== description) return { source: { ...source, description: null } }
  return { source: { ...source, description: '' }, description: '' }
}
