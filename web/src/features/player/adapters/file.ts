import { loadableUrlOf } from '@watchline/contracts/media'
import { isHls } from '../../../ui/progress/is-hls.ts'
import type { SessionVideo } from '../session-playlist.ts'
import type { PlayerAdapter, ProviderListener } from './adapter.ts'
import { createFileCaptions } from './file-captions.ts'
import { type HlsClass, type HlsPlayback, startHls } from './file-hls.ts'
import { probeAddress, type Reachability } from './reachability.ts'

export interface FileOptions {
  loadHls?: () => Promise<HlsClass>
  /** Probes the address, so that a network failure does not look like a bad file. */
  probe?: (url: string) => Promise<Reachability>
}

const hlsType = 'application/vnd.apple.mpegurl'
const networkError = 2
/** A file of another host counts as unplayable after this many failures in a row. */
const failuresElsewhere = 3

/** The organisation's own MP4, WebM and HLS files in a <video> without controls. */
export function createFileAdapter(
  element: HTMLElement,
  listen: ProviderListener,
  options: FileOptions = {},
): PlayerAdapter {
  const loadHls = options.loadHls ?? (async () => (await import('hls.js/light')).default)
  const probe = options.probe ?? probeAddress
  const video = createVideo()
  const captions = createFileCaptions(video)
  let hls: HlsPlayback | undefined
  let current: { url: string; startAt: number; load: number } | undefined
  /** The current video is cued, so its events count. */
  let armed = false
  let elsewhere = { url: '', failures: 0 }
  let destroyed = false

  element.replaceChildren(video)
  video.addEventListener('loadedmetadata', reportCued)
  video.addEventListener('playing', () => report('playing'))
  // The element reports a pause just before its end.
  video.addEventListener('pause', () => !video.ended && report('paused'))
  video.addEventListener('waiting', () => report('buffering'))
  video.addEventListener('ended', () => report('ended'))
  video.addEventListener('error', () => void reportError(video.error?.code ?? 0))

  function report(type: 'playing' | 'paused' | 'buffering' | 'ended'): void {
    if (armed && current) listen({ type }, current.load)
  }

  function reportCued(): void {
    if (!current || armed) return
    armed = true
    elsewhere = { url: '', failures: 0 }
    if (current.startAt > 0) video.currentTime = current.startAt
    listen({ type: 'cued' }, current.load)
  }

  async function reportError(code: number): Promise<void> {
    const failing = current
    if (!failing || destroyed || hls?.isAttached()) return
    armed = false
    const reachability = isOnOwnHost(failing.url) ? await probe(failing.url) : guessReachability(failing.url)
    if (failing !== current || destroyed) return
    const network = reachability === 'unreachable' || (reachability === 'reachable' && code === networkError)
    listen({ type: 'error', code, unavailable: !network, network, reason: reasonFor(reachability) }, failing.load)
  }

  /**
   * Pages may not call other hosts, so only repeated failures tell a bad file from a bad network.
   */
  function guessReachability(url: string): Reachability {
    elsewhere = { url, failures: elsewhere.url === url ? elsewhere.failures + 1 : 1 }
    return navigator.onLine && elsewhere.failures >= failuresElsewhere ? 'reachable' : 'unreachable'
  }

  function reportNetwork(): void {
    const reason = reasonFor('unreachable')
    if (current) listen({ type: 'error', code: networkError, unavailable: false, network: true, reason }, current.load)
  }

  function reportUnplayable(reason: string): void {
    if (current) listen({ type: 'error', code: 0, unavailable: true, network: false, reason }, current.load)
  }

  return {
    provider: 'file',
    load(next: SessionVideo, startAt, load) {
      const url = loadableUrlOf(next) ?? ''
      current = { url, startAt, load }
      armed = false
      hls?.destroy()
      hls = undefined
      video.setAttribute('aria-label', next.title)
      captions.load(url)
      if (!url) {
        // The report must not arrive before the caller has finished this load.
        queueMicrotask(
          () => current?.load === load && reportUnplayable('The playlist gives no address for this video.'),
        )
        return
      }
      if (isHls(url) && !video.canPlayType(hlsType)) {
        video.removeAttribute('src')
        hls = startHls(video, url, loadHls, {
          unreachable: reportNetwork,
          unplayable: reason =>
            reportUnplayable(reason === 'unsupported' ? 'This browser cannot play HLS videos.' : reasonFor(reason)),
        })
        return
      }
      video.src = url
      video.load()
    },
    play() {
      if (!armed) return
      const load = current?.load
      video.play()?.catch((error: unknown) => {
        if (load !== undefined && load === current?.load && error instanceof Error && error.name === 'NotAllowedError')
          listen({ type: 'blocked' }, load)
      })
    },
    pause: () => video.pause(),
    seek(seconds) {
      if (current) current.startAt = seconds
      if (armed) video.currentTime = seconds
    },
    position: () => (armed ? video.currentTime : (current?.startAt ?? 0)),
    duration: () => (armed && Number.isFinite(video.duration) ? video.duration : 0),
    rate: () => video.playbackRate,
    setSound(volume, muted) {
      video.volume = volume
      video.muted = muted
    },
    setRate(rate) {
      // A load sets the rate to its default.
      video.defaultPlaybackRate = rate
      video.playbackRate = rate
    },
    captions: captions.captions,
    setCaptions: captions.choose,
    destroy() {
      destroyed = true
      current = undefined
      captions.destroy()
      hls?.destroy()
      hls = undefined
      video.pause()
      video.removeAttribute('src')
      video.load()
      video.remove()
    },
  }
}

function createVideo(): HTMLVideoElement {
  const video = document.createElement('video')
  video.controls = false
  video.playsInline = true
  video.preload = 'auto'
  video.disablePictureInPicture = true
  video.disableRemotePlayback = true
  video.setAttribute('controlslist', 'nodownload nofullscreen noremoteplayback noplaybackrate')
  return video
}

function reasonFor(reachability: Reachability): string {
  if (reachability === 'missing') return 'The video file is no longer there.'
  if (reachability === 'reachable') return 'This browser cannot play the video file.'
  return 'The video could not be reached.'
}

function isOnOwnHost(url: string): boolean {
  return new URL(url, window.location.href).origin === window.location.origin
}
