interface Tone {
  hertz: number
  /** The start, in seconds from the beginning of the chime. */
  offset: number
  /** Seconds. */
  length: number
}

/**
 * `dashboard`: two tones. `team`: three rising tones over half a second. `chat`: two short rising
 * tones.
 */
export const chimes = {
  dashboard: [
    { hertz: 880, offset: 0, length: 0.16 },
    { hertz: 659.25, offset: 0.16, length: 0.3 },
  ],
  team: [
    { hertz: 523.25, offset: 0, length: 0.16 },
    { hertz: 659.25, offset: 0.16, length: 0.16 },
    { hertz: 783.99, offset: 0.32, length: 0.18 },
  ],
  chat: [
    { hertz: 587.33, offset: 0, length: 0.1 },
    { hertz: 880, offset: 0.1, length: 0.2 },
  ],
} as const satisfies Record<string, readonly Tone[]>
export type Chime = keyof typeof chimes

export interface Chimes {
  /** Waits for the first input on the page. Returns a function that stops waiting and all sound. */
  listen(): () => void
  /**
   * Plays the chime, unless the page had no input yet or a chime is still playing. Never throws.
   */
  ring(chime: Chime): Promise<void>
}

const loudness = 0.12
const attackS = 0.015
/** A chime that starts later than this is dropped, because it would be misleading. */
const resumeTimeoutMs = 1_000
/** Longer than any chime. A chime never ends by itself if its audio context is closed. */
const maxChimeMs = 2_000
const touchEvents = ['pointerup', 'keydown'] as const

/** Plays chimes with Web Audio. Without audio they stay silent, as the badge shows the same. */
export function createChimes(): Chimes {
  let context: AudioContext | undefined
  let wasTouched = false
  let isRinging = false

  const mayRing = () => navigator.userActivation?.hasBeenActive ?? wasTouched

  // Safari plays sound later only through a context that was resumed during an input event.
  // The context stays suspended until a chime needs it.
  async function prepareContext() {
    wasTouched = true
    if (context || !mayRing() || typeof AudioContext === 'undefined') return
    context = new AudioContext()
    await context.resume()
    if (!isRinging) await context.suspend()
  }

  async function playChime(chime: Chime) {
    if (typeof AudioContext === 'undefined') return
    context ??= new AudioContext()
    const current = context
    await Promise.race([current.resume(), delay(resumeTimeoutMs)])
    if (current.state !== 'running') return
    await Promise.race([playTones(current, chimes[chime]), delay(maxChimeMs)])
    await current.suspend()
  }

  return {
    listen() {
      const onTouch = () => void prepareContext().catch(() => undefined)
      for (const eventType of touchEvents) window.addEventListener(eventType, onTouch, { capture: true, passive: true })
      return () => {
        for (const eventType of touchEvents) window.removeEventListener(eventType, onTouch, { capture: true })
        void context?.close().catch(() => undefined)
        context = undefined
      }
    },
    async ring(chime) {
      if (isRinging || !mayRing()) return
      isRinging = true
      try {
        await playInOneTab(() => playChime(chime))
      } catch {
        // There is no audio device.
      } finally {
        isRinging = false
      }
    },
  }
}

/** All tabs learn of an event at once; the lock lets only one of them play. */
async function playInOneTab(playChime: () => Promise<void>): Promise<void> {
  if (!navigator.locks) return playChime()
  await navigator.locks.request('watchline.chime', { ifAvailable: true }, lock => (lock ? playChime() : undefined))
}

function delay(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

/** Resolves when the last tone has ended. */
function playTones(context: AudioContext, tones: readonly Tone[]): Promise<void> {
  const start = context.currentTime
  return new Promise(resolve => {
    for (const [index, { hertz, offset, length }] of tones.entries()) {
      const [from, until] = [start + offset, start + offset + length]
      const tone = context.createOscillator()
      const volume = context.createGain()
      tone.frequency.value = hertz
      volume.gain.setValueAtTime(0, from)
      volume.gain.linearRampToValueAtTime(loudness, from + attackS)
      volume.gain.exponentialRampToValueAtTime(0.0001, until)
      tone.connect(volume).connect(context.destination)
      if (index === tones.length - 1) tone.onended = () => resolve()
      tone.start(from)
      tone.stop(until)
    }
  })
}
