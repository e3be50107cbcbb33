import { currentTrace } from '../observability/log.ts'
import { inSpan, type Tracer } from '../observability/tracing.ts'

/** Asks another service over its internal routes. */
export interface InternalClient {
  /** The JSON of the answer, null where there is no such thing; rejects when the service cannot be asked. */
  ask(path: string, signal?: AbortSignal): Promise<unknown>
}

export interface InternalClientOptions {
  /** Who is asked, for messages. */
  service: string
  url: string
  secret: string
  timeoutMs?: number
  tracer?: Tracer | undefined
}

export function createInternalClient({
  service,
  url,
  secret,
  timeoutMs = 5_000,
  tracer,
}: InternalClientOptions): InternalClient {
  async function ask(path: string, signal?: AbortSignal): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const current = currentTrace.getStore()
    const response = await fetch(`${url}${path}`, {
      headers: {
        'x-internal-secret': secret,
        ...(current && { 'x-request-id': current.requestId }),
        ...(current?.traceparent && { traceparent: current.traceparent }),
      },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    if (response.status === 404) {
      await response.body?.cancel()
      return null
    }
    // Not the whole path: whoever asks for somebody may have put anything in its place.
    if (!response.ok) throw new Error(`the ${service} service answered ${response.status} to ${kindOfPath(path)}`)
    return response.json()
  }

  const facts = { 'watchline.service': service }
  return {
    ask: (path, signal) => inSpan(tracer, `ask ${service}`, { kind: 'client', facts }, () => ask(path, signal)),
  }
}

/** `/internal/people/…` of `/internal/people/64f0?limit=1`. */
function kindOfPath(path: string): string {
  const [, internal, kind, ...rest] = path.split('?')[0]!.split('/')
  return `/${internal}/${kind}${rest.length > 0 ? '/…' : ''}`
}
