export interface MarkedWork<Item> {
  /** The items that are marked as unfinished. */
  marked: readonly Item[]
  /**
   * Works off at most `limit` rows of the item, and returns their number. A repeated batch must
   * change nothing.
   */
  runBatch(item: Item, limit: number): Promise<number>
  batchSize: number
  /** Follows the last batch of the item. */
  clearMark(item: Item): Promise<void>
}

/**
 * Works off each marked item in batches, until one is not full, and then clears its mark. Several
 * replicas may do so at once. After a crash or the signal the mark is left, so the next run
 * continues.
 */
export async function finishMarkedWork<Item>(
  { marked, runBatch, batchSize, clearMark }: MarkedWork<Item>,
  signal?: AbortSignal,
): Promise<void> {
  for (const item of marked)
    while (!signal?.aborted) {
      if ((await runBatch(item, batchSize)) === batchSize) continue
      await clearMark(item)
      break
    }
}
