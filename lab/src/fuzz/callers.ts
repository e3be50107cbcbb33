import type { AnyOperation } from '@watchline/contracts/operation'
import { roles } from '@watchline/contracts/people'

/** `nobody` has no session. */
export const callers = ['nobody', ...roles] as const
export type Caller = (typeof callers)[number]

/**
 * One caller for each operation, of those who may call it: the one with the fewest operations so
 * far. Operations for everybody go to `nobody`, who may call no others.
 */
export function assignCallers(operations: readonly Pick<AnyOperation, 'name' | 'callers'>[]): Map<string, Caller> {
  const counts = new Map<Caller, number>()
  const countOf = (caller: Caller) => counts.get(caller) ?? 0
  return new Map(
    operations.map(({ name, callers: allowed }) => {
      const candidates = allowed === 'anyone' ? (['nobody'] as const) : allowed === 'signed-in' ? roles : allowed
      const caller = candidates.reduce<Caller>(
        (best, next) => (countOf(next) < countOf(best) ? next : best),
        candidates[0]!,
      )
      counts.set(caller, countOf(caller) + 1)
      return [name, caller]
    }),
  )
}
