/**
 * The greatest limit, from 1 to `most`, with which lists of these lengths have at most `total`
 * entries together. If even a limit of 1 gives more entries, it is 1.
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
