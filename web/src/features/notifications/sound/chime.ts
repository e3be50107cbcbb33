interface Tone {
  hertz: number
  /** Seconds from the beginning of the chime. */
  at: number
  /** Seconds. */
  length: number
}

/** `dashboard`: two tones. `team`: three rising tones over half a second. `chat`: two short rising tones. */
export const chimes = {
  dashboard: [
    { hertz: 880, at: 0, length: 0.16 },
    { hertz: 659.25, at: 0.16, length: 0.3 },
  ],
  team: [
    { hertz: 523.25, at: 0, length: 0.16 },
    { hertz: 659.25, at: 0.16, length: 0.16 },
    { hertz: 783.99, at: 0.32, length: 0.18 },
  ],
  chat: [
    { hertz: 587.33, at: 0, length: 0.1 },
    { hertz: 880, at: 0.1, length: 0.2 },
  ],
} as const satisfies Record<string, readonly Tone[]>
export type Chime = keyof typeof chimes

export interface Chimes {
  /** Waits for the person to touch the page; answers how to end that and all sound. */
  listen(): () => void
  /** Rings, unless nobody has touched the page yet or a chime is still sounding. Never throws. */
  ring(chime: Chime): Promise<void>
}

const loudness = 0.12
const attackS = 0.015
/** A sound that comes later than this tells nothing any more. */
const wakeMs = 1_000
/** Longer than any chime: one that was cut off, its context closed, has no end of its own. */
const longestMs = 2_000
const touches = ['pointerup', 'keydown'] as const

/** Chimes by Web Audio. Without it, or without a loudspeaker, they are silent: the badge says the same. */
export function createChimes(): Chimes {
  let context: AudioContext | undefined
  let touched = false
  let ringing = false

  const mayRing = () => navigator.userActivation?.hasBeenActive ?? touched

  // Safari lets only a context sound later that was woken by a touch; until it is needed it rests.
  async function unlock() {
    touched = true
    if (context || !mayRing() || typeof AudioContext === 'undefined') return
    context = new AudioContext()
    await context.resume()
    if (!ringing) await context.suspend()
  }

  async function play(chime: Chime) {
    if (typeof AudioContext === 'undefined') return
    context ??= new AudioContext()
    const awake = context
    await Promise.race([awake.resume(), later(wakeMs)])
    if (awake.state !== 'running') return
    await Promise.race([sounded(awake, chimes[chime]), later(longestMs)])
    await awake.suspend()
  }

  return {
    listen() {
      const onTouch = () => void unlock().catch(() => undefined)
      for (const touch of touches) window.addEventListener(touch, onTouch, { capture: true, passive: true })
      return () => {
        for (const touch of touches) window.removeEventListener(touch, onTouch, { capture: true })
        void context?.close().catch(() => undefined)
        context = undefined
      }
    },
    async ring(chime) {
      if (ringing || !mayRing()) return
      ringing = true
      try {
        await alone(() => play(chime))
      } catch {
        // No device to sound on.
      } finally {
        ringing = false
      }
    },
  }
}

/** Also with several tabs open, which all hear of news at once, one of them sounds. */
async function alone(play: () => Promise<void>): Promise<void> {
  if (!navigator.locks) return play()
  await navigator.locks.request('watchline.chime', { ifAvailable: true }, lock => (lock ? play() : undefined))
}

function later(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

/** Settles when the last tone has ended. */
function sounded(context: AudioContext, tones: readonly Tone[]): Promise<void> {
  const start = context.currentTime
  return new Promise(resolve => {
    for (const [index, { hertz, at, length }] of tones.entries()) {
      const [from, until] = [start + at, start + at + length]
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
