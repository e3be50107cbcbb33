/** All speeds that players offer; 1 is normal. */
const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4]

/** Normal speed is always offered, even where an organisation credits only slower playback. */
export function creditedRates(maxRate: number): readonly number[] {
  return rates.filter(rate => rate <= Math.max(1, maxRate))
}

/** The fastest credited speed that is not faster than `rate`. */
export function limitRate(rate: number, maxRate: number): number {
  return creditedRates(maxRate).findLast(credited => credited <= rate) ?? 1
}

/** The next slower (-1) or faster (1) speed; the same one at the end of the list. */
export function stepRate(rate: number, maxRate: number, step: -1 | 1): number {
  const credited = creditedRates(maxRate)
  return credited[credited.indexOf(limitRate(rate, maxRate)) + step] ?? rate
}
