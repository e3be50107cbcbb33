/**
 * The greatest number, from 1 to `most`, so that lists of that length at most have `total` entries
 * together. `counts` are the lengths of the whole lists. With 1 they may have more.
 */
export function limitOfEach(counts: readonly number[], { most, total }: { most: number; total: number }): number {
  let [low, high] = [1, most]
  while (low < high) {
    const limit = Math.ceil((low + high) / 2)
    const entries = counts.reduce((sum, count) => sum + Math.min(count, limit), 0)
    if (entries <= total) low = limit
    else high = limit - 1
  }
  return low
}
