export interface MarkedWork<Item> {
  /** The items with a stored mark that says that their work is unfinished. */
  marked: readonly Item[]
  /**
   * Processes at most `limit` rows of the item, and returns their number. A repeated batch must
   * change nothing.
   */
  runBatch(item: Item, limit: number): Promise<number>
  batchSize: number
  /** Follows the last batch of the item. */
  clearMark(item: Item): Promise<void>
}

/**
 * For work after a change that is too large for its transaction, such as the tasks of a deleted
 * playlist. The transaction stores a mark. This processes the rows of each marked item in batches,
 * until a batch is not full, and then clears the mark. Several replicas may run it at once. After a
 * crash or the signal, the mark stays and the next run continues.
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
