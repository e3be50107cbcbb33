/** Runs `work` for every item, at most `limit` at a time. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const remaining = [...items].reverse()
  await Promise.all(
    Array.from({ length: limit }, async () => {
      for (let item = remaining.pop(); item !== undefined; item = remaining.pop()) await work(item)
    }),
  )
}

/**
 * The results of `work` for every item, in order. A batch starts when the one before it is done.
 */
export async function mapInBatches<T, R>(
  items: readonly T[],
  batchSize: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let first = 0; first < items.length; first += batchSize)
    results.push(...(await Promise.all(items.slice(first, first + batchSize).map(work))))
  return results
}
