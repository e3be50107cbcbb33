import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { ProviderEvent } from '../../src/features/player/adapters/adapter.ts'
import { createYouTubeAdapter, loadYouTubeApi } from '../../src/features/player/adapters/youtube.ts'
import type { SessionVideo } from '../../src/features/player/session-playlist.ts'

const video = (id: string): SessionVideo => ({ id, provider: 'youtube', title: id, duration: 60 })

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
    getPlaybackRate() {
      return 1
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
    ready() {
      this.options.events!.onReady!({ target: this } as never)
    }
    state(data: number) {
      this.options.events!.onStateChange!({ data } as never)
    }
    error(data: number) {
      this.options.events!.onError!({ data } as never)
    }
    blocked() {
      ;(this.options.events as unknown as { onAutoplayBlocked: () => void }).onAutoplayBlocked()
    }
  }
  return { api: { Player: FakePlayer } as never, players }
}

async function readyAdapter(startAt = 0) {
  const fake = createFakeApi()
  const host = document.createElement('div')
  const reports: [string, number][] = []
  const events: ProviderEvent[] = []
  const adapter = createYouTubeAdapter(
    host,
    (event, load) => {
      reports.push([event.type, load])
      events.push(event)
    },
    { loadApi: async () => fake.api, origin: 'https://watch.example' },
  )
  adapter.load(video('aaaaaaaaaaa'), startAt, 1)
  await Promise.resolve()
  await Promise.resolve()
  const player = fake.players[0]!
  player.ready()
  return { adapter, host, reports, events, player, players: fake.players }
}

describe('the YouTube adapter', () => {
  test('makes one player on the privacy-enhanced host, without controls, keys, full screen or related videos', async () => {
    const { player, host, adapter, players } = await readyAdapter()
    expect(player.options.host).toBe('https://www.youtube-nocookie.com')
    expect(player.options.playerVars).toMatchObject({
      controls: 0,
      disablekb: 1,
      fs: 0,
      rel: 0,
      modestbranding: 1,
      playsinline: 1,
      autoplay: 0,
      origin: 'https://watch.example',
    })
    expect(host.querySelector('iframe')?.title).toBe('Video player')
    adapter.load(video('bbbbbbbbbbb'), 0, 2)
    expect(players).toHaveLength(1)
    expect(player.calls).toEqual(['cue aaaaaaaaaaa@0', 'cue bbbbbbbbbbb@0'])
  })

  test('reports cued, then playing, buffering, paused and ended, with the number of the load', async () => {
    const { player, reports } = await readyAdapter(12)
    expect(player.calls).toEqual(['cue aaaaaaaaaaa@12'])
    for (const state of [-1, 5, 3, 1, 2, 1, 0]) player.state(state)
    expect(reports).toEqual(
      ['ready', 'cued', 'buffering', 'playing', 'paused', 'playing', 'ended'].map(type => [type, 1]),
    )
  })

  test('drops late events of the previous video', async () => {
    const { player, reports, adapter } = await readyAdapter()
    player.state(5)
    player.state(1)
    reports.length = 0
    adapter.load(video('bbbbbbbbbbb'), 0, 2)
    player.url = 'https://www.youtube.com/watch?v=aaaaaaaaaaa'
    for (const state of [0, 2, 1, -1]) player.state(state)
    expect(reports).toEqual([])
    player.state(5)
    expect(reports).toEqual([['cued', 2]])
  })

  test('a video that plays without having been cued counts as both', async () => {
    const { player, reports } = await readyAdapter()
    player.state(1)
    expect(reports.map(([type]) => type)).toEqual(['ready', 'cued', 'playing'])
  })

  test('keeps to the start position until playback has reached it, and asks for it when it was forgotten', async () => {
    const { player, adapter } = await readyAdapter(30)
    player.state(5)
    expect(adapter.position()).toBe(30)
    player.state(1)
    player.time = 0.4
    expect(adapter.position()).toBe(30)
    expect(player.calls).toContain('seek 30')
    player.time = 30.2
    expect(adapter.position()).toBe(30.2)
    player.time = 4
    expect(adapter.position()).toBe(4)
  })

  test('seeking a video that was only cued does not start it', async () => {
    const { player, adapter } = await readyAdapter()
    player.state(5)
    adapter.seek(20)
    expect(player.calls.at(-1)).toBe('cue aaaaaaaaaaa@20')
    expect(adapter.position()).toBe(20)
    player.state(1)
    player.time = 20
    adapter.seek(40)
    expect(player.calls.at(-1)).toBe('seek 40')
  })

  test('knows which errors mean that a video can never play here', async () => {
    const { player, events } = await readyAdapter()
    for (const code of [100, 101, 150, 153, 2, 5]) player.error(code)
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
    const { player, reports } = await readyAdapter()
    player.blocked()
    expect(reports.at(-1)).toEqual(['blocked', 1])
  })

  test('a script that does not come is a network failure, and the next load tries again', async () => {
    const fake = createFakeApi()
    const events: ProviderEvent[] = []
    let fails = true
    const adapter = createYouTubeAdapter(document.createElement('div'), event => events.push(event), {
      loadApi: async () => {
        if (fails) throw new Error('blocked')
        return fake.api
      },
    })
    adapter.load(video('aaaaaaaaaaa'), 0, 1)
    await new Promise(resolve => setTimeout(resolve))
    expect(events).toMatchObject([{ type: 'error', network: true, unavailable: false }])
    fails = false
    adapter.load(video('aaaaaaaaaaa'), 0, 2)
    await new Promise(resolve => setTimeout(resolve))
    expect(fake.players).toHaveLength(1)
  })

  test('after it is destroyed it reports nothing', async () => {
    const { player, reports, adapter, host } = await readyAdapter()
    adapter.destroy()
    reports.length = 0
    player.state(1)
    player.error(100)
    adapter.play()
    expect(reports).toEqual([])
    expect(player.calls.at(-1)).toBe('destroy')
    expect(host.children).toHaveLength(0)
  })
})

describe('the script of the IFrame API', () => {
  beforeEach(() => {
    document.head.replaceChildren()
  })

  test('is loaded once, from YouTube, and again after a failure', async () => {
    const first = loadYouTubeApi()
    expect(loadYouTubeApi()).toBe(first)
    const scripts = document.head.querySelectorAll('script')
    expect([...scripts].map(script => script.src)).toEqual(['https://www.youtube.com/iframe_api'])
    scripts[0]!.onerror!(new Event('error'))
    await expect(first).rejects.toThrow('could not be loaded')
    const second = loadYouTubeApi()
    expect(document.head.querySelectorAll('script')).toHaveLength(1)
    const page = window as unknown as { YT: unknown; onYouTubeIframeAPIReady: () => void }
    page.YT = { Player: jest.fn() }
    page.onYouTubeIframeAPIReady()
    expect(await second).toBe(page.YT)
  })
})
