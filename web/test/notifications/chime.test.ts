import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createChimes } from '../../src/features/notifications/sound/chime.ts'
import { createFakeAudio } from './_fake-audio.ts'

let audio: ReturnType<typeof createFakeAudio>
let stopListening: () => void
let chimes: ReturnType<typeof createChimes>

beforeEach(() => {
  audio = createFakeAudio()
  chimes = createChimes()
  stopListening = chimes.listen()
})
afterEach(() => {
  stopListening()
  audio.restore()
})

const touchPage = () => window.dispatchEvent(new Event('pointerup'))
/** Lets the continuations of settled promises run. */
const settlePromises = () => new Promise(resolve => setTimeout(resolve))

describe('a chime', () => {
  test('of the dashboard has two tones in sequence', async () => {
    touchPage()
    void chimes.ring('dashboard')
    await settlePromises()
    expect(audio.scheduled).toHaveLength(2)
    const [firstTone, secondTone] = audio.scheduled
    expect(firstTone!.from).toBe(0)
    expect(secondTone!.from).toBeCloseTo(firstTone!.until)
    expect(secondTone!.hertz).not.toBe(firstTone!.hertz)
  })

  test('of the team panel has three rising tones over half a second', async () => {
    touchPage()
    void chimes.ring('team')
    await settlePromises()
    const { scheduled } = audio
    expect(scheduled).toHaveLength(3)
    expect(scheduled.map(({ hertz }) => hertz)).toEqual(scheduled.map(({ hertz }) => hertz).sort((a, b) => a - b))
    expect(new Set(scheduled.map(({ hertz }) => hertz)).size).toBe(3)
    expect(scheduled[0]!.from).toBe(0)
    expect(scheduled[2]!.until).toBeCloseTo(0.5)
  })

  test('is not scheduled before the first touch of the page', async () => {
    await chimes.ring('dashboard')
    expect(audio.contexts()).toBe(0)
    touchPage()
    await settlePromises()
    expect(audio.scheduled).toEqual([])
    void chimes.ring('dashboard')
    await settlePromises()
    expect(audio.scheduled).toHaveLength(2)
  })

  test('follows the browser’s own record of touches where it exists', async () => {
    const activation = { hasBeenActive: false }
    Object.defineProperty(navigator, 'userActivation', { value: activation, configurable: true })
    try {
      touchPage()
      await chimes.ring('dashboard')
      expect(audio.contexts()).toBe(0)
      activation.hasBeenActive = true
      void chimes.ring('dashboard')
      await settlePromises()
      expect(audio.scheduled).toHaveLength(2)
    } finally {
      Reflect.deleteProperty(navigator, 'userActivation')
    }
  })

  test('never overlaps another chime', async () => {
    touchPage()
    const firstRing = chimes.ring('dashboard')
    await settlePromises()
    await chimes.ring('team')
    expect(audio.scheduled).toHaveLength(2)
    audio.endTones()
    await firstRing
    void chimes.ring('team')
    await settlePromises()
    expect(audio.scheduled).toHaveLength(5)
    expect(audio.contexts()).toBe(1)
  })

  test('without an audio device is silent, and the next one can sound', async () => {
    const laterChimes = createChimes()
    const unlisten = laterChimes.listen()
    globalThis.AudioContext = class {
      constructor() {
        throw new Error('no device')
      }
    } as unknown as typeof AudioContext
    touchPage()
    await laterChimes.ring('dashboard')
    audio.restore()
    audio = createFakeAudio()
    void laterChimes.ring('dashboard')
    await settlePromises()
    expect(audio.scheduled).toHaveLength(2)
    unlisten()
  })

  test('that the browser delays is dropped', async () => {
    audio.refuseToResume()
    touchPage()
    await chimes.ring('dashboard')
    expect(audio.scheduled).toEqual([])
  })

  test('sounds in one of several tabs', async () => {
    let isLocked = false
    const locks = {
      request: async (_name: string, _options: unknown, task: (lock: object | null) => Promise<void>) => {
        if (isLocked) return task(null)
        isLocked = true
        await task({})
        isLocked = false
      },
    }
    Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })
    try {
      const otherChimes = createChimes()
      const unlisten = otherChimes.listen()
      touchPage()
      void chimes.ring('dashboard')
      void otherChimes.ring('dashboard')
      await settlePromises()
      expect(audio.scheduled).toHaveLength(2)
      unlisten()
    } finally {
      Reflect.deleteProperty(navigator, 'locks')
    }
  })
})
