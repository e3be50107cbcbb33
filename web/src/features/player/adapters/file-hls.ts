import type HlsLight from 'hls.js/light'
import { isMissingStatus, type Reachability } from './reachability.ts'

export type HlsClass = typeof HlsLight

export interface HlsListener {
  unreachable(): void
  unplayable(reason: 'unsupported' | Exclude<Reachability, 'unreachable'>): void
}

export interface HlsPlayback {
  /** Whether the stream feeds the <video> element, so that its errors are those of the stream. */
  isAttached(): boolean
  destroy(): void
}

/** Plays an HLS stream in a browser that cannot do it by itself. A media error is repaired once. */
export function startHls(
  video: HTMLVideoElement,
  url: string,
  loadHls: () => Promise<HlsClass>,
  listener: HlsListener,
): HlsPlayback {
  let hls: HlsLight | undefined
  let hasRecovered = false
  let isDestroyed = false

  async function attach(): Promise<void> {
    try {
      const Hls = await loadHls()
      if (isDestroyed) return
      if (!Hls.isSupported()) {
        listener.unplayable('unsupported')
        return
      }
      hls = new Hls()
      hls.on(Hls.Events.ERROR, (_event, data) => {
        if (!data.fatal || isDestroyed) return
        if (data.type === Hls.ErrorTypes.MEDIA_ERROR && !hasRecovered) {
          hasRecovered = true
          hls?.recoverMediaError()
          return
        }
        const isMissing = data.response?.code !== undefined && isMissingStatus(data.response.code)
        if (data.type === Hls.ErrorTypes.NETWORK_ERROR && !isMissing) listener.unreachable()
        else listener.unplayable(isMissing ? 'missing' : 'reachable')
      })
      hls.loadSource(url)
      hls.attachMedia(video)
    } catch {
      if (!isDestroyed) listener.unreachable()
    }
  }

  void attach()
  return {
    isAttached: () => hls !== undefined,
    destroy() {
      isDestroyed = true
      hls?.destroy()
    },
  }
}
