import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createChimes } from '../../src/features/notifications/sound/chime.ts'
import { fakeAudio } from './_fake-audio.ts'

let audio: ReturnType<typeof fakeAudio>
let stop: () => void
let chimes: ReturnType<typeof createChimes>

beforeEach(() => {
  audio = fakeAudio()
  chimes = createChimes()
  stop = chimes.listen()
})
afterEach(() => {
  stop()
  audio.restore()
})

const touch = () => window.dispatchEvent(new Event('pointerup'))
/** Lets what waits for settled promises run. */
const settle = () => new Promise(resolve => setTimeout(resolve))

describe('a chime', () => {
  test('of the dashboard has two tones, one after the other', async () => {
    touch()
    void chimes.ring('dashboard')
    await settle()
    expect(audio.scheduled).toHaveLength(2)
    const [first, second] = audio.scheduled
    expect(first!.from).toBe(0)
    expect(second!.from).toBeCloseTo(first!.until)
    expect(second!.hertz).not.toBe(first!.hertz)
  })

  test('of the team panel has three rising tones over half a second', async () => {
    touch()
    void chimes.ring('team')
    await settle()
    const { scheduled } = audio
    expect(scheduled).toHaveLength(3)
    expect(scheduled.map(({ hertz }) => hertz)).toEqual(scheduled.map(({ hertz }) => hertz).sort((a, b) => a - b))
    expect(new Set(scheduled.map(({ hertz }) => hertz)).size).toBe(3)
    expect(scheduled[0]!.from).toBe(0)
    expect(scheduled[2]!.until).toBeCloseTo(0.5)
  })

  test('is not even scheduled before somebody has touched the page', async () => {
    await chimes.ring('dashboard')
    expect(audio.contexts()).toBe(0)
    touch()
    await settle()
    expect(audio.scheduled).toEqual([])
    void chimes.ring('dashboard')
    await settle()
    expect(audio.scheduled).toHaveLength(2)
  })

  test('goes by what the browser knows of touches, where it knows', async () => {
    const activation = { hasBeenActive: false }
    Object.defineProperty(navigator, 'userActivation', { value: activation, configurable: true })
    try {
      touch()
      await chimes.ring('dashboard')
      expect(audio.contexts()).toBe(0)
      activation.hasBeenActive = true
      void chimes.ring('dashboard')
      await settle()
      expect(audio.scheduled).toHaveLength(2)
    } finally {
      Reflect.deleteProperty(navigator, 'userActivation')
    }
  })

  test('never sounds into another', async () => {
    touch()
    const first = chimes.ring('dashboard')
    await settle()
    await chimes.ring('team')
    expect(audio.scheduled).toHaveLength(2)
    audio.end()
    await first
    void chimes.ring('team')
    await settle()
    expect(audio.scheduled).toHaveLength(5)
    expect(audio.contexts()).toBe(1)
  })

  test('that may not sound is silent, and the next may', async () => {
    const warned = createChimes()
    const unlisten = warned.listen()
    globalThis.AudioContext = class {
      constructor() {
        throw new Error('no device')
      }
    } as unknown as typeof AudioContext
    touch()
    await warned.ring('dashboard')
    audio.restore()
    audio = fakeAudio()
    void warned.ring('dashboard')
    await settle()
    expect(audio.scheduled).toHaveLength(2)
    unlisten()
  })

  test('that the browser holds back is dropped, not put off', async () => {
    audio.refuse()
    touch()
    await chimes.ring('dashboard')
    expect(audio.scheduled).toEqual([])
  })

  test('in several tabs at once sounds in one', async () => {
    let taken = false
    const locks = {
      request: async (_name: string, _options: unknown, task: (lock: object | null) => Promise<void>) => {
        if (taken) return task(null)
        taken = true
        await task({})
        taken = false
      },
    }
    Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })
    try {
      const other = createChimes()
      const unlisten = other.listen()
      touch()
      void chimes.ring('dashboard')
      void other.ring('dashboard')
      await settle()
      expect(audio.scheduled).toHaveLength(2)
      unlisten()
    } finally {
      Reflect.deleteProperty(navigator, 'locks')
    }
  })
})
