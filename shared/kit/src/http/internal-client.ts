import type { AnyInternalOperation, InternalInputOf } from '@watchline/contracts/internal-operations'
import { fillPath, type ResponseOf } from '@watchline/contracts/operation'
import { currentTrace } from '../observability/log.ts'
import { inSpan, type Tracer } from '../observability/tracing.ts'
import type { InternalCredentials } from './internal-credentials.ts'

/**
 * Calls the internal operations of another service. Both functions reject when the service cannot
 * be reached, answers an error, or answers what the contract does not allow.
 */
export interface InternalClient {
  call<O extends AnyInternalOperation>(
    operation: O,
    input: InternalInputOf<O>,
    signal?: AbortSignal,
  ): Promise<ResponseOf<O>>
  /** As `call`, but undefined if the service answers 404. */
  find<O extends AnyInternalOperation>(
    operation: O,
    input: InternalInputOf<O>,
    signal?: AbortSignal,
  ): Promise<ResponseOf<O> | undefined>
}

export interface InternalClientOptions {
  /** The address of the other service. */
  url: string
  credentials: InternalCredentials
  timeoutMs?: number
  tracer?: Tracer | undefined
}

export function createInternalClient({
  url,
  credentials,
  timeoutMs = 5_000,
  tracer,
}: InternalClientOptions): InternalClient {
  async function send(operation: AnyInternalOperation, path: string, signal?: AbortSignal): Promise<Response> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const current = currentTrace.getStore()
    return fetch(`${url}${path}`, {
      method: operation.method,
      headers: {
        ...credentials.headersFor(operation.service),
        ...(current && { 'x-request-id': current.requestId }),
        ...(current?.traceparent && { traceparent: current.traceparent }),
      },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
  }

  const find: InternalClient['find'] = (operation, input, signal) =>
    inSpan(
      tracer,
      `ask ${operation.service}`,
      { kind: 'client', attributes: { 'watchline.service': operation.service } },
      async () => {
        const response = await send(operation, pathOf(operation, input), signal)
        if (response.ok) return operation.response.parse(await response.json())
        await response.body?.cancel()
        if (response.status === 404) return undefined
        // Names the operation, not the path: the path contains ids.
        throw new Error(`the ${operation.service} service answered ${response.status} to ${operation.name}`)
      },
    )

  return {
    find,
    call: async (operation, input, signal) => {
      const answer = await find(operation, input, signal)
      if (answer === undefined) throw new Error(`the ${operation.service} service does not know ${operation.name}`)
      return answer
    },
  }
}

function pathOf(
  { path }: AnyInternalOperation,
  { params = {}, query = {} }: { params?: Record<string, string>; query?: Record<string, string> },
): string {
  const search = new URLSearchParams(query)
  return `/internal${fillPath(path, params)}${search.size > 0 ? `?${search}` : ''}`
}
