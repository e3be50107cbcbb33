import type { Video } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import { findBlockedFiles } from '../rules/media-hosts.ts'

type EnteredVideo = Pick<Video, 'provider' | 'url'>

const message =
  'is on a host from which videos may not come. Ask the person who runs Watchline to add it (MEDIA_HOSTS).'

/**
 * Fails with `invalid` for files on other hosts than those that the operator names. Files of the
 * playlist as it is stay allowed, so that a new setting does not stop other changes.
 */
export function requireAllowedHosts(
  ctx: Pick<PlaybackContext, 'mediaHosts' | 'publicUrl'>,
  videos: readonly EnteredVideo[],
  stored: readonly EnteredVideo[] = [],
): void {
  const storedUrls = new Set(stored.map(({ url }) => url))
  const blocked = findBlockedFiles(videos, ctx).filter(index => !storedUrls.has(videos[index]!.url))
  if (blocked.length === 0) return
  const errors = blocked.map(index => ({ path: `videos.${index}.url`, message }))
  fail('invalid', { detail: `${errors[0]!.path} ${message}`, errors })
}
