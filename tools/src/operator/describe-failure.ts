/** The message alone of an error of these kinds, which needs no stack; else the whole error. */
export function describeFailure(error: unknown, kinds: readonly (new (...args: never[]) => Error)[]): unknown {
  return kinds.some(kind => error instanceof kind) ? (error as Error).message : error
}
