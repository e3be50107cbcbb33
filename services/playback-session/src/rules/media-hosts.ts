import type { Video } from '@watchline/contracts/playlists'

/**
 * The positions of files that pages may not load, because they are on another host than this one
 * and those of `mediaHosts`. Without `mediaHosts`, any host is allowed here, although browsers load
 * HLS only from the hosts that the gateway names. The scheme does not matter: pages on https load
 * http addresses by https.
 */
export function findBlockedFiles(
  videos: readonly Pick<Video, 'provider' | 'url'>[],
  { mediaHosts, publicUrl }: { mediaHosts: readonly string[]; publicUrl: string | undefined },
): number[] {
  if (mediaHosts.length === 0) return []
  const allowedHosts = new Set([...mediaHosts, ...(publicUrl ? [publicUrl] : [])].map(origin => new URL(origin).host))
  const isBlocked = ({ provider, url }: Pick<Video, 'provider' | 'url'>) =>
    provider === 'file' && url != null && !url.startsWith('/') && !allowedHosts.has(new URL(url).host)
  return videos.flatMap((video, index) => (isBlocked(video) ? [index] : []))
}
