/**
 * Applies the result of `run`. Without a promise it applies it at once, so that nothing happens in
 * between. Never throws.
 */
export function whenDone<T>(
  run: () => T | Promise<T>,
  apply: (value: T) => void,
  fail: (error: unknown) => void,
): void | Promise<void> {
  try {
    const value = run()
    if (value instanceof Promise) return value.then(apply).catch(fail)
    apply(value)
  } catch (error) {
    fail(error)
  }
}
