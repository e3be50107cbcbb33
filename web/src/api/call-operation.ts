import {
  type AnyOperation,
  type BodyInputOf,
  fillPath,
  type ParamsOf,
  type QueryInputOf,
  type ResponseOf,
} from '@watchline/contracts/operation'
import type { Call } from './call.ts'
import type { Failure } from './failure.ts'
import { send } from './send.ts'

type InputPart<Key extends string, T> = [T] extends [undefined]
  ? unknown
  : Record<never, never> extends T
    ? { [K in Key]?: T }
    : { [K in Key]: T }

/** The input of a call: `params`, `query` and `body`, each only if the operation has it. */
export type InputOf<O extends AnyOperation> = InputPart<'params', ParamsOf<O>> &
  InputPart<'query', QueryInputOf<O>> &
  InputPart<'body', BodyInputOf<O>>

export interface Input {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

export type CallOptions = Pick<Call, 'keepalive' | 'signal' | 'headers' | 'timeoutMs' | 'priority'>

export type Answer<T> = { ok: true; data: T; headers: Headers } | ({ ok: false } & Failure)

/**
 * Calls an operation outside the query cache and parses its answer with the contract. Never throws.
 */
export async function callOperation<O extends AnyOperation>(
  operation: O,
  input: InputOf<O>,
  options: CallOptions = {},
): Promise<Answer<ResponseOf<O>>> {
  const { params, query, body } = (input ?? {}) as Input
  const result = await send({
    ...options,
    method: operation.method,
    path: fillPath(operation.path, params) + queryString(query),
    body: bodyOf(operation, body),
  })
  if (!result.ok) return { ok: false, ...result.failure }
  const parsed = operation.response.safeParse(result.body ?? null)
  if (parsed.success) return { ok: true, data: parsed.data as ResponseOf<O>, headers: result.headers }
  console.error('answer breaks the contract, treated as a failure', operation.name, parsed.error)
  return { ok: false, status: result.status, code: 'contract', message: 'The server’s answer could not be understood.' }
}

/** A call whose body is optional is sent without one if there is nothing to send. */
function bodyOf({ body: schema, bodyOptional }: AnyOperation, body: unknown): unknown {
  if (!schema || (bodyOptional && body === undefined)) return undefined
  return body ?? {}
}

function queryString(query: Record<string, unknown> = {}): string {
  const defined = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(defined.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}
