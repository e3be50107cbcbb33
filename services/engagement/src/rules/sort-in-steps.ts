/**
 * The items of one step, after which the process may answer other callers. A step takes a few
 * milliseconds, which is less than most calls take.
 */
export const stepSize = 5_000

/** A merge sort of distinct values, which yields after each step. */
export function* sortInSteps<Value>(
  values: readonly Value[],
  compare: (left: Value, right: Value) => number = (left, right) => (left < right ? -1 : 1),
): Generator<undefined, Value[]> {
  let parts: Value[][] = []
  for (let start = 0; start < values.length; start += stepSize) {
    parts.push(values.slice(start, start + stepSize).sort(compare))
    yield
  }
  while (parts.length > 1) {
    const merged: Value[][] = []
    for (let at = 0; at < parts.length; at += 2)
      merged.push(yield* mergeInSteps(parts[at]!, parts[at + 1] ?? [], compare))
    parts = merged
  }
  return parts[0] ?? []
}

function* mergeInSteps<Value>(
  first: readonly Value[],
  second: readonly Value[],
  compare: (left: Value, right: Value) => number,
): Generator<undefined, Value[]> {
  const merged: Value[] = []
  for (let left = 0, right = 0; left < first.length || right < second.length; ) {
    const isFirstNext = right >= second.length || (left < first.length && compare(first[left]!, second[right]!) < 0)
    merged.push(isFirstNext ? first[left++]! : second[right++]!)
    if (merged.length % stepSize === 0) yield
  }
  return merged
}

/** The rank of each item by its index, in the order of the keys. */
export function* rankInSteps<Item, Key>(
  items: readonly Item[],
  toKey: (item: Item) => Key,
  compare: (left: Key, right: Key) => number,
): Generator<undefined, Uint32Array<ArrayBuffer>> {
  const keys: { key: Key; at: number }[] = []
  for (const [at, item] of items.entries()) {
    keys.push({ key: toKey(item), at })
    if (at % stepSize === 0) yield
  }
  const ranks = new Uint32Array(items.length)
  const sorted = yield* sortInSteps(keys, (left, right) => compare(left.key, right.key))
  for (const [rank, { at }] of sorted.entries()) ranks[at] = rank
  return ranks
}

/** Runs all steps without a pause, and returns their result. */
export function runSteps<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
