import { describe, expect, jest, test } from '@jest/globals'
import type { ProviderEvent } from '../../src/features/player/adapters/adapter.ts'
import { createFileAdapter, type FileOptions } from '../../src/features/player/adapters/file.ts'

const makeVideo = (url: string | null = '/clips/a.webm') =>
  ({ id: 'a', provider: 'file', title: 'Lifting', duration: 60, url }) as const
const settlePromises = () => new Promise(resolve => setTimeout(resolve))

/** jsdom has the element but plays no media, so the test emits the browser's events. */
function setUpAdapter(options: FileOptions = {}) {
  const host = document.createElement('div')
  const events: ProviderEvent[] = []
  const loads: number[] = []
  const adapter = createFileAdapter(
    host,
    (event, load) => {
      events.push(event)
      loads.push(load)
    },
    { probe: async () => 'reachable', ...options },
  )
  const video = host.querySelector('video')!
  const play = jest.fn(async () => {})
  const state = { currentTime: 0, duration: 60, ended: false, error: null as { code: number } | null }
  Object.assign(video, { play, pause: jest.fn(), load: jest.fn() })
  for (const name of ['currentTime', 'duration', 'ended', 'error'] as const)
    Object.defineProperty(video, name, {
      get: () => state[name],
      set: value => Object.assign(state, { [name]: value }),
    })
  const emit = (name: string) => video.dispatchEvent(new Event(name))
  return { adapter, host, video, events, loads, play, state, emit, types: () => events.map(event => event.type) }
}

describe('the adapter for own files', () => {
  test('shows a plain video without controls, picture in picture and download, named for screen readers', () => {
    const { adapter, video } = setUpAdapter()
    adapter.load(makeVideo(), 0, 1)
    expect(video.controls).toBe(false)
    expect(video.disablePictureInPicture).toBe(true)
    expect(video.getAttribute('controlslist')).toContain('nodownload')
    expect(video.getAttribute('aria-label')).toBe('Lifting')
    expect(new URL(video.src).pathname).toBe('/clips/a.webm')
  })

  test('begins at the start position, and reports events with the number of the load', () => {
    const { adapter, state, emit, types, loads } = setUpAdapter()
    adapter.load(makeVideo(), 12, 3)
    expect(adapter.position()).toBe(12)
    emit('loadedmetadata')
    expect(state.currentTime).toBe(12)
    for (const name of ['playing', 'waiting', 'playing', 'pause', 'playing', 'ended']) emit(name)
    expect(types()).toEqual(['cued', 'playing', 'buffering', 'playing', 'paused', 'playing', 'ended'])
    expect(new Set(loads)).toEqual(new Set([3]))
    expect(adapter.duration()).toBe(60)
  })

  test('ignores events of the previous video, and the pause that belongs to an end', () => {
    const { adapter, state, emit, types } = setUpAdapter()
    adapter.load(makeVideo(), 0, 1)
    emit('loadedmetadata')
    state.ended = true
    emit('pause')
    adapter.load(makeVideo('/clips/b.webm'), 0, 2)
    emit('ended')
    emit('playing')
    expect(types()).toEqual(['cued'])
  })

  test('reports a start that the browser refuses as blocked, and no other failed start', async () => {
    const { adapter, emit, types, play } = setUpAdapter()
    adapter.load(makeVideo(), 0, 1)
    adapter.play()
    expect(play).not.toHaveBeenCalled()
    emit('loadedmetadata')
    play.mockRejectedValueOnce(new DOMException('no', 'AbortError'))
    adapter.play()
    await settlePromises()
    expect(types()).toEqual(['cued'])
    play.mockRejectedValueOnce(new DOMException('no', 'NotAllowedError'))
    adapter.play()
    await settlePromises()
    expect(types()).toEqual(['cued', 'blocked'])
  })

  test.each([
    ['missing', 4, true, 'The video file is no longer there.'],
    ['reachable', 4, true, 'This browser cannot play the video file.'],
    ['reachable', 2, false, 'This browser cannot play the video file.'],
    ['unreachable', 4, false, 'The video could not be reached.'],
  ] as const)(
    'reports an error of a file that is %s, code %i, as unavailable: %s',
    async (reachability, code, unavailable, reason) => {
      const { adapter, emit, state, events } = setUpAdapter({ probe: async () => reachability })
      adapter.load(makeVideo(), 0, 1)
      state.error = { code }
      emit('error')
      await settlePromises()
      expect(events).toEqual([{ type: 'error', code, unavailable, network: !unavailable, reason }])
    },
  )

  test('loads an own file by the address of this login session', () => {
    const { adapter, video } = setUpAdapter()
    adapter.load({ ...makeVideo('/media/film.webm'), media_url: '/media/~ticket/film.webm' }, 0, 1)
    expect(video.getAttribute('src')).toBe('/media/~ticket/film.webm')
  })

  test.each([
    [404, true],
    [410, true],
    [401, false],
    [403, false],
    [429, false],
    [503, false],
  ])('counts an own file that answers %i as gone: %s', async (status, isGone) => {
    const { adapter, emit, state, events } = setUpAdapter({ probe: undefined })
    const fetched = jest.spyOn(window, 'fetch').mockResolvedValue({ ok: false, status } as Response)
    adapter.load(makeVideo('/media/~ticket/film.webm'), 0, 1)
    state.error = { code: 4 }
    emit('error')
    await settlePromises()
    fetched.mockRestore()
    expect(events).toMatchObject([{ type: 'error', unavailable: isGone, network: !isGone }])
  })

  test('tries a file of another host three times before it counts as unplayable, and calls nobody', async () => {
    const probe = jest.fn(async () => 'reachable' as const)
    const { adapter, emit, state, events } = setUpAdapter({ probe })
    for (let load = 1; load <= 3; load += 1) {
      adapter.load(makeVideo('https://media.example.org/film.webm'), 0, load)
      state.error = { code: 4 }
      emit('error')
      await settlePromises()
    }
    expect(events.map(event => event.type === 'error' && event.unavailable)).toEqual([false, false, true])
    expect(probe).not.toHaveBeenCalled()
  })

  test('reports a video without an address as unavailable', async () => {
    const { adapter, events } = setUpAdapter()
    adapter.load(makeVideo(null), 0, 1)
    expect(events).toEqual([])
    await settlePromises()
    expect(events).toMatchObject([{ type: 'error', unavailable: true }])
  })

  test('plays HLS through hls.js where the browser cannot', async () => {
    const created: FakeHls[] = []
    class FakeHls {
      static isSupported = () => true
      static Events = { ERROR: 'error' }
      static ErrorTypes = { MEDIA_ERROR: 'media', NETWORK_ERROR: 'network' }
      calls: string[] = []
      listener: (event: string, data: unknown) => void = () => {}
      constructor() {
        created.push(this)
      }
      on(_name: string, listener: FakeHls['listener']) {
        this.listener = listener
      }
      loadSource(url: string) {
        this.calls.push(url)
      }
      attachMedia() {}
      recoverMediaError() {
        this.calls.push('recover')
      }
      destroy() {
        this.calls.push('destroy')
      }
    }
    const { adapter, events, emit } = setUpAdapter({ loadHls: async () => FakeHls as never })
    adapter.load(makeVideo('/clips/a.m3u8?x=1'), 0, 1)
    await settlePromises()
    const hls = created[0]!
    expect(hls.calls).toEqual(['/clips/a.m3u8?x=1'])
    emit('loadedmetadata')
    hls.listener('error', { fatal: true, type: 'media' })
    expect(hls.calls).toContain('recover')
    hls.listener('error', { fatal: true, type: 'network', response: { code: 0 } })
    hls.listener('error', { fatal: true, type: 'network', response: { code: 404 } })
    hls.listener('error', { fatal: true, type: 'media' })
    const errors = events.flatMap(event => (event.type === 'error' ? [[event.unavailable, event.network]] : []))
    expect(errors).toEqual([
      [false, true],
      [true, false],
      [true, false],
    ])
    adapter.destroy()
    expect(hls.calls).toContain('destroy')
  })

  test('sets the loudness', () => {
    const { adapter, video } = setUpAdapter()
    adapter.setSound(0.3, true)
    expect([video.volume, video.muted]).toEqual([0.3, true])
  })

  test('sets the speed of this and later videos', () => {
    const { adapter, video } = setUpAdapter()
    adapter.setRate(0.75)
    expect([video.defaultPlaybackRate, adapter.rate()]).toEqual([0.75, 0.75])
  })

  test('removes the element when it is destroyed', () => {
    const { adapter, host, emit, types } = setUpAdapter()
    adapter.load(makeVideo(), 0, 1)
    adapter.destroy()
    emit('playing')
    expect(host.children).toHaveLength(0)
    expect(types()).toEqual([])
  })
})
