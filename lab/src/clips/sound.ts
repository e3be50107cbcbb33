export const samplesPerSecond = 48_000

/**
 * Semitones above the tonic: I, vi, IV, V in close positions, so that one chord glides into the
 * next.
 */
const chords = [
  [0, 4, 7],
  [-3, 0, 4],
  [-3, 0, 5],
  [-5, -1, 2],
]
const bells = [12, 16, 19, 16]
const secondsPerChord = 3
const closing = 1.5

/**
 * A clip's sound as mono samples between -1 and 1: soft chords, a bell every one and a half
 * seconds, a tick every second. The last chord is the tonic and fades, so that it sounds like an
 * end.
 */
export function sound(tonic: number, seconds: number): Float32Array {
  const samples = new Float32Array(seconds * samplesPerSecond)
  const add = (start: number, length: number, wave: (t: number) => number) => {
    const first = Math.round(start * samplesPerSecond)
    const last = Math.min(samples.length, Math.round((start + length) * samplesPerSecond))
    for (let i = first; i < last; i++) samples[i]! += wave((i - first) / samplesPerSecond)
  }
  const pitch = (semitones: number) => tonic * 2 ** (semitones / 12)

  for (let start = 0, index = 0; start < seconds; start += secondsPerChord, index++) {
    const chord = start + secondsPerChord >= seconds ? chords[0]! : chords[index % chords.length]!
    const length = secondsPerChord + 0.8
    for (const note of [chord[0]! - 12, ...chord]) {
      add(start, length, t => 0.085 * swell(t, length) * warm(pitch(note), t))
    }
  }
  for (let start = 0.5, index = 0; start < seconds - closing; start += 1.5, index++) {
    const frequency = pitch(bells[index % bells.length]!)
    add(start, 1.4, t => 0.12 * Math.min(1, t / 0.01) * Math.exp(-3.2 * t) * sine(frequency, t))
  }
  for (let second = 0; second < seconds; second++) {
    add(second, 0.08, t => 0.22 * Math.min(1, t / 0.001) * Math.exp(-70 * t) * sine(1400, t))
  }
  const fadeFrom = samples.length - closing * samplesPerSecond
  for (let i = fadeFrom; i < samples.length; i++) samples[i]! *= (samples.length - i) / (samples.length - fadeFrom)
  return samples
}

function swell(t: number, length: number): number {
  return Math.min(1, t / 0.5, (length - t) / 0.8)
}

function warm(frequency: number, t: number): number {
  return sine(frequency, t) + 0.25 * sine(2 * frequency, t) + 0.08 * sine(3 * frequency, t)
}

function sine(frequency: number, t: number): number {
  return Math.sin(2 * Math.PI * frequency * t)
}
