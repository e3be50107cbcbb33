import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { waitFor } from '@testing-library/react'
import type { ProviderEvent } from '../../src/features/player/adapters/adapter.ts'
import { loadYouTubeApi } from '../../src/features/player/adapters/load-youtube-api.ts'
import { createYouTubeAdapter } from '../../src/features/player/adapters/youtube.ts'
import type { SessionVideo } from '../../src/features/player/session-playlist.ts'

const makeVideo = (id: string): SessionVideo => ({ id, provider: 'youtube', title: id, duration: 60 })

/** The part of the IFrame API that the adapter uses. */
function createFakeApi() {
  const players: FakePlayer[] = []
  class FakePlayer {
    time = 0
    url = ''
    calls: string[] = []
    frame = document.createElement('iframe')
    mount: HTMLElement
    options: YT.PlayerOptions
    constructor(mount: HTMLElement, options: YT.PlayerOptions) {
      this.mount = mount
      this.options = options
      mount.replaceWith(this.frame)
      players.push(this)
    }
    cueVideoById({ videoId, startSeconds }: { videoId: string; startSeconds: number }) {
      this.calls.push(`cue ${videoId}@${startSeconds}`)
      this.url = `https://www.youtube.com/watch?v=${videoId}`
    }
    playVideo() {
      this.calls.push('play')
    }
    pauseVideo() {
      this.calls.push('pause')
    }
    seekTo(seconds: number) {
      this.calls.push(`seek ${seconds}`)
    }
    getCurrentTime() {
      return this.time
    }
    getDuration() {
      return 61.2
    }
    setVolume(volume: number) {
      this.calls.push(`volume ${volume}`)
    }
    mute() {
      this.calls.push('mute')
    }
    unMute() {
      this.calls.push('unmute')
    }
    rate = 1
    setPlaybackRate(rate: number) {
      this.rate = rate
    }
    getPlaybackRate() {
      return this.rate
    }
    captions = { isLoaded: false, language: '', list: [] as unknown }
    loadModule() {
      this.captions.isLoaded = true
    }
    unloadModule() {
      this.captions.isLoaded = false
    }
    getOption() {
      return this.captions.list
    }
    setOption(_module: string, _option: string, { languageCode }: { languageCode: string }) {
      this.captions.language = languageCode
    }
    getVideoUrl() {
      return this.url
    }
    getIframe() {
      return this.frame
    }
    destroy() {
      this.calls.push('destroy')
    }
    reportReady() {
      this.options.events!.onReady!({ target: this } as never)
    }
    reportState(data: number) {
      this.options.events!.onStateChange!({ data } as never)
    }
    reportError(data: number) {
      this.options.events!.onError!({ data } as never)
    }
    reportCaptionLanguages(list: unknown) {
      this.captions.list = list
      this.options.events!.onApiChange!({ target: this } as never)
    }
    reportBlocked() {
      ;(this.options.events as unknown as { onAutoplayBlocked: () => void }).onAutoplayBlocked()
    }
  }
  return { api: { Player: FakePlayer } as never, players }
}

async function createReadyAdapter(startAt = 0) {
  const fakeApi = createFakeApi()
  const host = document.createElement('div')
  const reports: [string, number][] = []
  const events: ProviderEvent[] = []
  const adapter = createYouTubeAdapter(
    host,
    (event, load) => {
      reports.push([event.type, load])
      events.push(event)
    },
    { loadApi: async () => fakeApi.api, origin: 'https://watch.example' },
  )
  adapter.load(makeVideo('aaaaaaaaaaa'), startAt, 1)
  await Promise.resolve()
  await Promise.resolve()
  const player = fakeApi.players[0]!
  player.reportReady()
  return { adapter, host, reports, events, player, players: fakeApi.players }
}

describe('the YouTube adapter', () => {
  test('makes one player on the privacy-enhanced host, without controls, keys, full screen or related videos', async () => {
    const { player, host, adapter, players } = await createReadyAdapter()
    expect(player.options.host).toBe('https://www.youtube-nocookie.com')
    expect(player.options.playerVars).toMatchObject({
      controls: 0,
      disablekb: 1,
      fs: 0,
      rel: 0,
      playsinline: 1,
      autoplay: 0,
      origin: 'https://watch.example',
    })
    // YouTube ignores the parameter, and its terms forbid hiding its mark.
    expect(player.options.playerVars).not.toHaveProperty('modestbranding')
    expect(host.querySelector('iframe')?.title).toBe('Video player')
    adapter.load(makeVideo('bbbbbbbbbbb'), 0, 2)
    expect(players).toHaveLength(1)
    expect(player.calls).toEqual(['cue aaaaaaaaaaa@0', 'cue bbbbbbbbbbb@0'])
  })

  test('reports a network error if its frame never answers, and makes another player for the next load', async () => {
    const { api, players } = createFakeApi()
    const events: ProviderEvent[] = []
    const adapter = createYouTubeAdapter(document.createElement('div'), event => events.push(event), {
      loadApi: async () => api,
      readyTimeoutMs: 1,
    })
    adapter.load(makeVideo('aaaaaaaaaaa'), 0, 1)
    await waitFor(() => expect(events).toMatchObject([{ type: 'error', network: true, unavailable: false }]))
    expect(players[0]!.calls).toEqual(['destroy'])
    adapter.load(makeVideo('aaaaaaaaaaa'), 0, 2)
    await waitFor(() => expect(players).toHaveLength(2))
    players[1]!.reportReady()
    expect(events.at(-1)).toEqual({ type: 'ready' })
    adapter.destroy()
  })

  test('reports cued, playing, buffering, paused and ended, with the number of the load', async () => {
    const { player, reports } = await createReadyAdapter(12)
    expect(player.calls).toEqual(['cue aaaaaaaaaaa@12'])
    for (const state of [-1, 5, 3, 1, 2, 1, 0]) player.reportState(state)
    expect(reports).toEqual(
      ['ready', 'cued', 'buffering', 'playing', 'paused', 'playing', 'ended'].map(type => [type, 1]),
    )
  })

  test('drops late events of the previous video', async () => {
    const { player, reports, adapter } = await createReadyAdapter()
    player.reportState(5)
    player.reportState(1)
    reports.length = 0
    adapter.load(makeVideo('bbbbbbbbbbb'), 0, 2)
    player.url = 'https://www.youtube.com/watch?v=aaaaaaaaaaa'
    for (const state of [0, 2, 1, -1]) player.reportState(state)
    expect(reports).toEqual([])
    player.reportState(5)
    expect(reports).toEqual([['cued', 2]])
  })

  test('reports a video that plays without a cue as cued and playing', async () => {
    const { player, reports } = await createReadyAdapter()
    player.reportState(1)
    expect(reports.map(([type]) => type)).toEqual(['ready', 'cued', 'playing'])
  })

  test('keeps the start position until playback has reached it, and seeks if YouTube has forgotten it', async () => {
    const { player, adapter } = await createReadyAdapter(30)
    player.reportState(5)
    expect(adapter.position()).toBe(30)
    player.reportState(1)
    player.time = 0.4
    expect(adapter.position()).toBe(30)
    expect(player.calls).toContain('seek 30')
    player.time = 30.2
    expect(adapter.position()).toBe(30.2)
    player.time = 4
    expect(adapter.position()).toBe(4)
  })

  test('does not start a cued video by seeking', async () => {
    const { player, adapter } = await createReadyAdapter()
    player.reportState(5)
    adapter.seek(20)
    expect(player.calls.at(-1)).toBe('cue aaaaaaaaaaa@20')
    expect(adapter.position()).toBe(20)
    player.reportState(1)
    player.time = 20
    adapter.seek(40)
    expect(player.calls.at(-1)).toBe('seek 40')
  })

  test('sets the speed of every video, because YouTube begins each at its own', async () => {
    const { adapter, player } = await createReadyAdapter()
    adapter.setRate(1.5)
    expect(adapter.rate()).toBe(1.5)
    player.rate = 1
    adapter.load(makeVideo('bbbbbbbbbbb'), 0, 2)
    player.reportState(5)
    expect(player.rate).toBe(1.5)
  })

  test('switches YouTube’s own captions, and offers the languages of the video', async () => {
    const { adapter, player } = await createReadyAdapter()
    player.reportState(1)
    expect(player.captions.isLoaded).toBe(false)
    adapter.setCaptions({ captions: true, language: 'de' })
    expect(player.captions).toMatchObject({ isLoaded: true, language: 'de' })
    player.reportCaptionLanguages([{ languageCode: 'en' }, { languageCode: 'de-AT' }, { languageCode: 'en' }, null, 7])
    expect(adapter.captions.get()).toMatchObject({ available: true, languages: ['en', 'de-AT'], transcript: [] })
    expect(player.captions.language).toBe('de-AT')
    player.reportCaptionLanguages('strange')
    expect(adapter.captions.get().languages).toEqual([])
    adapter.setCaptions({ captions: false, language: 'de' })
    expect(player.captions.isLoaded).toBe(false)
  })

  test('asks for captions when it makes the player of a person who wants them', async () => {
    const { api, players } = createFakeApi()
    const adapter = createYouTubeAdapter(document.createElement('div'), () => {}, { loadApi: async () => api })
    adapter.setCaptions({ captions: true, language: 'fr' })
    adapter.load(makeVideo('aaaaaaaaaaa'), 0, 1)
    await Promise.resolve()
    await Promise.resolve()
    expect(players[0]!.options.playerVars).toMatchObject({ cc_load_policy: 1, cc_lang_pref: 'fr' })
  })

  test('sets the loudness, at once or when the player is ready', async () => {
    const { adapter, player } = await createReadyAdapter()
    adapter.setSound(0.5, false)
    adapter.setSound(0.5, true)
    expect(player.calls.slice(-4)).toEqual(['volume 50', 'unmute', 'volume 50', 'mute'])
    player.reportReady()
    expect(player.calls.slice(-3)).toEqual(['volume 50', 'mute', 'cue aaaaaaaaaaa@0'])
  })

  test('knows which errors make a video unavailable', async () => {
    const { player, events } = await createReadyAdapter()
    for (const code of [100, 101, 150, 153, 2, 5]) player.reportError(code)
    const errors = events.flatMap(event =>
      event.type === 'error' ? [[event.code, event.unavailable, event.network]] : [],
    )
    expect(errors).toEqual([
      [100, true, false],
      [101, true, false],
      [150, true, false],
      [153, true, false],
      [2, false, false],
      [5, false, false],
    ])
  })

  test('reports that the browser refuses to start', async () => {
    const { player, reports } = await createReadyAdapter()
    player.reportBlocked()
    expect(reports.at(-1)).toEqual(['blocked', 1])
  })

  test('reports a script that does not load as a network failure, and loads it again with the next video', async () => {
    const fakeApi = createFakeApi()
    const events: ProviderEvent[] = []
    let isBlocked = true
    const adapter = createYouTubeAdapter(document.createElement('div'), event => events.push(event), {
      loadApi: async () => {
        if (isBlocked) throw new Error('blocked')
        return fakeApi.api
      },
    })
    adapter.load(makeVideo('aaaaaaaaaaa'), 0, 1)
    await new Promise(resolve => setTimeout(resolve))
    expect(events).toMatchObject([{ type: 'error', network: true, unavailable: false }])
    isBlocked = false
    adapter.load(makeVideo('aaaaaaaaaaa'), 0, 2)
    await new Promise(resolve => setTimeout(resolve))
    expect(fakeApi.players).toHaveLength(1)
  })

  test('reports nothing after it is destroyed', async () => {
    const { player, reports, adapter, host } = await createReadyAdapter()
    adapter.destroy()
    reports.length = 0
    player.reportState(1)
    player.reportError(100)
    adapter.play()
    expect(reports).toEqual([])
    expect(player.calls.at(-1)).toBe('destroy')
    expect(host.children).toHaveLength(0)
  })
})

describe('the IFrame API’s script', () => {
  beforeEach(() => {
    document.head.replaceChildren()
  })

  test('is loaded once, from YouTube, and again after a failure', async () => {
    const firstLoad = loadYouTubeApi()
    expect(loadYouTubeApi()).toBe(firstLoad)
    const scripts = document.head.querySelectorAll('script')
    expect([...scripts].map(script => script.src)).toEqual(['https://www.youtube.com/iframe_api'])
    scripts[0]!.onerror!(new Event('error'))
    await expect(firstLoad).rejects.toThrow('could not be loaded')
    const secondLoad = loadYouTubeApi()
    expect(document.head.querySelectorAll('script')).toHaveLength(1)
    const globals = window as unknown as { YT: unknown; onYouTubeIframeAPIReady: () => void }
    globals.YT = { Player: jest.fn() }
    globals.onYouTubeIframeAPIReady()
    expect(await secondLoad).toBe(globals.YT)
  })
})
