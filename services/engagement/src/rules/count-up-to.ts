/**
 * The number of items up to a cursor, its own included. The items must be in the order of the
 * cursor.
 */
export function countUpTo<Item>(items: ArrayLike<Item>, isAfterCursor: (item: Item) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isAfterCursor(items[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}
