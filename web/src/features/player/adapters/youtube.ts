import type { SessionVideo } from '../session-playlist.ts'
import type { PlayerAdapter, ProviderListener } from './adapter.ts'
import { loadYouTubeApi, type YouTubeApi } from './load-youtube-api.ts'
import { createYouTubeCaptions } from './youtube-captions.ts'

export interface YouTubeOptions {
  loadApi?: () => Promise<YouTubeApi>
  origin?: string
  readyTimeoutMs?: number
}

const host = 'https://www.youtube-nocookie.com'

/**
 * Removed or private (100), embedding forbidden (101, 150), or the player refuses this page (153).
 */
const embeddingRefused = 'Its owner does not allow it to be played outside YouTube, or it is restricted by age.'
const unavailableReasons: Record<number, string> = {
  100: 'The video was removed or is private.',
  101: embeddingRefused,
  150: embeddingRefused,
  153: 'YouTube refuses to play the video on this page.',
}

// Values of YT.PlayerState. The namespace itself does not exist before the script is loaded.
const stateEnded = 0
const statePlaying = 1
const statePaused = 2
const stateBuffering = 3
const stateCued = 5

/** A restored position counts as reached this close to it (s). */
const reachedS = 2
const maxStartSeeks = 3

/** A network that blocks YouTube's frames leaves them without any event. */
const readyTimeoutMs = 20_000

/**
 * The YouTube adapter. One player serves all videos, so that the browser's permission to play
 * lasts. Events of a load count from the moment its own video is cued or plays. Earlier events
 * belong to the previous video and are dropped.
 */
export function createYouTubeAdapter(
  element: HTMLElement,
  listen: ProviderListener,
  options: YouTubeOptions = {},
): PlayerAdapter {
  const loadApi = options.loadApi ?? loadYouTubeApi
  let player: YT.Player | undefined
  let creating = false
  let ready = false
  let readyTimer: ReturnType<typeof setTimeout> | undefined
  let destroyed = false
  let current: { video: SessionVideo; startAt: number; load: number } | undefined
  /** The current video is cued or plays, so its events count. */
  let armed = false
  let played = false
  let reached = false
  let seeksLeft = 0
  let sound: { volume: number; muted: boolean } | undefined
  let chosenRate = 1
  const captions = createYouTubeCaptions(() => (ready ? player : undefined))

  async function create(): Promise<void> {
    creating = true
    try {
      const api = await loadApi()
      if (destroyed || !current) return
      const mount = document.createElement('div')
      element.replaceChildren(mount)
      player = new api.Player(mount, {
        host,
        width: '100%',
        height: '100%',
        videoId: current.video.id,
        playerVars: {
          autoplay: 0,
          controls: 0,
          disablekb: 1,
          fs: 0,
          rel: 0,
          playsinline: 1,
          iv_load_policy: 3,
          origin: options.origin ?? window.location.origin,
          ...captions.playerVars(),
        },
        events: {
          onReady,
          onStateChange: event => onState(event.data),
          onError: event => onError(event.data),
          onApiChange: captions.readLanguages,
          onAutoplayBlocked: () => current && listen({ type: 'blocked' }, current.load),
        } as YT.Events,
      })
      readyTimer = setTimeout(giveUp, options.readyTimeoutMs ?? readyTimeoutMs)
    } catch {
      reportUnreachable()
    } finally {
      creating = false
    }
  }

  /** The next load makes another player. */
  function giveUp(): void {
    if (destroyed || ready) return
    player?.destroy()
    player = undefined
    reportUnreachable()
  }

  function reportUnreachable(): void {
    if (destroyed || !current) return
    const reason = 'The YouTube player could not be loaded.'
    listen({ type: 'error', code: 0, unavailable: false, network: true, reason }, current.load)
  }

  function onReady(): void {
    clearTimeout(readyTimer)
    if (destroyed || !current) return
    ready = true
    const frame = player?.getIframe()
    if (frame) frame.title = 'Video player'
    listen({ type: 'ready' }, current.load)
    applySound()
    cue()
  }

  function applySound(): void {
    if (!player || !sound) return
    player.setVolume(Math.round(sound.volume * 100))
    if (sound.muted) player.mute()
    else player.unMute()
  }

  /** A new video begins with YouTube's own speed and captions. */
  function applyChoices(): void {
    player?.setPlaybackRate(chosenRate)
    captions.apply()
  }

  function cue(): void {
    if (!current) return
    captions.reset()
    armed = false
    played = false
    reached = current.startAt <= reachedS
    seeksLeft = maxStartSeeks
    player?.cueVideoById({ videoId: current.video.id, startSeconds: current.startAt })
  }

  function onState(state: number): void {
    if (destroyed || !current) return
    const { load } = current
    if (!armed) {
      const isPlaying = state === statePlaying || state === stateBuffering
      if (state !== stateCued && !(isPlaying && showsCurrent())) return
      armed = true
      applyChoices()
      listen({ type: 'cued' }, load)
      if (state === stateCued) return
    }
    if (state === statePlaying) {
      if (!played) applyChoices()
      played = true
      goToStart()
      listen({ type: 'playing' }, load)
    } else if (state === statePaused) listen({ type: 'paused' }, load)
    else if (state === stateBuffering) listen({ type: 'buffering' }, load)
    else if (state === stateEnded) listen({ type: 'ended' }, load)
    else if (state === stateCued) played = false
  }

  function showsCurrent(): boolean {
    return current !== undefined && (player?.getVideoUrl() ?? '').includes(current.video.id)
  }

  /** YouTube sometimes loses the start position, for example after an advertisement. */
  function goToStart(): void {
    if (reached || !current || !player) return
    if (time() >= current.startAt - reachedS) reached = true
    else if (seeksLeft > 0) {
      seeksLeft -= 1
      player.seekTo(current.startAt, true)
    } else reached = true
  }

  function onError(code: number): void {
    if (destroyed || !current) return
    const reason = unavailableReasons[code]
    listen(
      {
        type: 'error',
        code,
        unavailable: reason !== undefined,
        network: false,
        reason: reason ?? 'YouTube could not play the video.',
      },
      current.load,
    )
  }

  function time(): number {
    return (ready && player?.getCurrentTime?.()) || 0
  }

  return {
    provider: 'youtube',
    load(video, startAt, load) {
      current = { video, startAt, load }
      armed = false
      if (ready) cue()
      else if (!creating && !player) void create()
    },
    play: () => ready && player?.playVideo(),
    pause: () => ready && player?.pauseVideo(),
    seek(seconds) {
      if (!ready || !current) return
      current.startAt = seconds
      // Seeking would start a video that is only cued.
      if (played) {
        reached = true
        player?.seekTo(seconds, true)
      } else {
        reached = seconds <= reachedS
        player?.cueVideoById({ videoId: current.video.id, startSeconds: seconds })
      }
    },
    position() {
      if (!current) return 0
      const seconds = time()
      if (!reached && seconds >= current.startAt - reachedS) reached = true
      return reached && armed && played ? seconds : current.startAt
    },
    duration: () => (ready && armed && player?.getDuration?.()) || 0,
    rate: () => (ready && player?.getPlaybackRate?.()) || 1,
    setSound(volume, muted) {
      sound = { volume, muted }
      if (ready) applySound()
    },
    setRate(rate) {
      chosenRate = rate
      if (ready) player?.setPlaybackRate(rate)
    },
    captions: captions.captions,
    setCaptions: captions.choose,
    destroy() {
      destroyed = true
      ready = false
      clearTimeout(readyTimer)
      player?.destroy()
      player = undefined
      element.replaceChildren()
    },
  }
}
