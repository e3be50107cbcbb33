import { limits } from '@watchline/contracts/limits'
import type { AnyOperation, ResponseOf } from '@watchline/contracts/operation'
import { type Answer, callOperation, type InputOf } from './call-operation.ts'
import type { Failure } from './failure.ts'

/**
 * Reads every page of a list, one after the other, in the form RTK Query expects: all items, or the
 * failure of the page that failed.
 */
export async function readAllPages<O extends AnyOperation>(
  operation: O,
  signal: AbortSignal,
  query: Readonly<Record<string, string | undefined>> = {},
): Promise<{ data: ResponseOf<O>[] } | { error: Failure }> {
  const data: ResponseOf<O>[] = []
  let cursor: string | undefined
  do {
    const input = { query: { ...query, limit: limits.pageMax, cursor } } as unknown as InputOf<O>
    const page: Answer<ResponseOf<O>> = await callOperation(operation, input, { signal })
    if (!page.ok) {
      const { ok, ...error } = page
      return { error }
    }
    data.push(page.data)
    cursor = page.headers.get('x-next-cursor') ?? undefined
  } while (cursor)
  return { data }
}
