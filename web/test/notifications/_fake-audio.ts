/** A tone as it was scheduled, in Hz and in seconds of the context's clock. */
export interface ScheduledTone {
  hertz: number
  from: number
  until: number
}

/** Web Audio without a loudspeaker: it notes what would sound, and lets a test decide when it has ended. */
export function fakeAudio() {
  const scheduled: ScheduledTone[] = []
  const ends: (() => void)[] = []
  let contexts = 0
  let wakes = true
  const nothing = () => undefined

  class FakeContext {
    state = 'suspended'
    currentTime = 12
    destination = {}
    constructor() {
      contexts += 1
    }
    async resume() {
      if (wakes) this.state = 'running'
    }
    async suspend() {
      this.state = 'suspended'
    }
    async close() {
      this.state = 'closed'
    }
    createGain() {
      const gain = {
        setValueAtTime: nothing,
        linearRampToValueAtTime: nothing,
        exponentialRampToValueAtTime: nothing,
      }
      return { gain, connect: (next: unknown) => next }
    }
    createOscillator() {
      const tone: ScheduledTone = { hertz: 0, from: 0, until: 0 }
      const oscillator = {
        frequency: { value: 0 },
        onended: undefined as (() => void) | undefined,
        connect: (next: unknown) => next,
        start: (at: number) => {
          scheduled.push(Object.assign(tone, { hertz: oscillator.frequency.value, from: at - 12 }))
          ends.push(() => oscillator.onended?.())
        },
        stop: (at: number) => {
          tone.until = at - 12
        },
      }
      return oscillator
    }
  }

  const before = globalThis.AudioContext
  globalThis.AudioContext = FakeContext as unknown as typeof AudioContext
  return {
    scheduled,
    contexts: () => contexts,
    /** The device refuses, as a browser does that waits for a touch. */
    refuse: () => {
      wakes = false
    },
    /** All that sounds has sounded. */
    end: () => {
      for (const end of ends.splice(0)) end()
    },
    restore: () => {
      globalThis.AudioContext = before
    },
  }
}
