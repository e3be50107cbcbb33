import type { Clock } from '@watchline/kit/core/clock'
import { createPictureLoader, type Picture } from '@watchline/kit/http/picture-loader'

const fileNames = { small: 'mqdefault.jpg', large: 'hqdefault.jpg' } as const

export interface VideoCovers {
  /** Undefined if YouTube has no picture of the video, or cannot be reached. */
  load(videoId: string, size: keyof typeof fileNames): Promise<Picture | undefined>
}

/** `coversUrl` comes from the operator, so it may name any server. */
export function createVideoCovers(coversUrl: string, clock: Clock): VideoCovers {
  const pictures = createPictureLoader(clock, { isAllowed: () => true, allowsHttp: true })
  return {
    load: (videoId, size) => pictures.load(`${coversUrl}/vi/${encodeURIComponent(videoId)}/${fileNames[size]}`),
  }
}
