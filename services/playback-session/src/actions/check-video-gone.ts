import type { Video } from '@watchline/contracts/playlists'
import type { PlaybackContext } from '../context.ts'

/**
 * Whether a video is certainly gone: YouTube says so, or its own file is not in the folder. False
 * whenever that cannot be known. Files of other hosts are not fetched, because an author could name
 * an address inside the network.
 */
export async function checkVideoGone(
  ctx: Pick<PlaybackContext, 'youtube' | 'media' | 'mediaFolder'>,
  video: Video,
  personId: string,
): Promise<boolean> {
  if (video.provider === 'youtube') {
    if (!ctx.youtube.configured) return false
    return ctx.youtube.plays(video.id, { personId }).then(
      plays => !plays,
      () => false,
    )
  }
  const path = video.url === null ? undefined : ctx.media.pathOf(video.url)
  return path !== undefined && ctx.mediaFolder.isGone(path)
}
