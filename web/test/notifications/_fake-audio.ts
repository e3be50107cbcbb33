/** A scheduled tone: frequency in Hz, times in seconds after the context's start. */
export interface ScheduledTone {
  hertz: number
  from: number
  until: number
}

/** Web Audio without a loudspeaker: it records the tones, and the test decides when they end. */
export function createFakeAudio() {
  const scheduled: ScheduledTone[] = []
  const endings: (() => void)[] = []
  let contexts = 0
  let canResume = true
  const noop = () => undefined

  class FakeContext {
    state = 'suspended'
    currentTime = 12
    destination = {}
    constructor() {
      contexts += 1
    }
    async resume() {
      if (canResume) this.state = 'running'
    }
    async suspend() {
      this.state = 'suspended'
    }
    async close() {
      this.state = 'closed'
    }
    createGain() {
      const gain = {
        setValueAtTime: noop,
        linearRampToValueAtTime: noop,
        exponentialRampToValueAtTime: noop,
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
          endings.push(() => oscillator.onended?.())
        },
        stop: (at: number) => {
          tone.until = at - 12
        },
      }
      return oscillator
    }
  }

  const realAudioContext = globalThis.AudioContext
  globalThis.AudioContext = FakeContext as unknown as typeof AudioContext
  return {
    scheduled,
    contexts: () => contexts,
    /** Simulates a browser that waits for a touch: resume() has no effect. */
    refuseToResume: () => {
      canResume = false
    },
    /** Ends every tone that sounds. */
    endTones: () => {
      for (const endTone of endings.splice(0)) endTone()
    },
    restore: () => {
      globalThis.AudioContext = realAudioContext
    },
  }
}
