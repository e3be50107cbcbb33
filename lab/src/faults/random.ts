/** Random numbers that are the same for the same seed. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number
  /** A whole number. Both ends are included. */
  between(from: number, to: number): number
  pick<T>(from: readonly T[]): T
  chance(probability: number): boolean
}

/** Mulberry32 (Tommy Ettinger, public domain). Its 32 bits of state suffice for choosing faults. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: from => {
      if (from.length === 0) throw new Error('nothing to pick from')
      return from[Math.floor(next() * from.length)]!
    },
    chance: probability => next() < probability,
  }
}
