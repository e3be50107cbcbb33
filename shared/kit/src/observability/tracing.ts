import { currentTrace } from './log.ts'

/**
 * Attributes of a span: ids, names of operations, templates of paths, numbers. Never personal data,
 * texts or addresses of people.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

/**
 * The samplers of OpenTelemetry. Source: its specification of environment variables,
 * OTEL_TRACES_SAMPLER.
 */
export const tracesSamplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type TracesSampler = (typeof tracesSamplers)[number]

/** A timed part of a trace. */
export interface Span {
  /** W3C trace context of this span, for calls to other services and for logs. */
  readonly traceparent: string
  /** Changes the name and adds attributes. */
  update(name: string | undefined, facts?: SpanAttributes): void
  /** `error` is the type or code of an error, never its message. Only the first call counts. */
  end(error?: string): void
}

export interface SpanOptions {
  kind: SpanKind
  /** Default: the current span. */
  parent?: string | undefined
  /**
   * The parent came from outside: the trace continues, but the sampler here decides about
   * recording.
   */
  isExternal?: boolean
  attributes?: SpanAttributes
}

/**
 * Creates the spans of one service. Undefined without a collector, so callers use `tracer?.start`.
 */
export interface Tracer {
  start(name: string, options: SpanOptions): Span
}

/** Exports the spans of a process. */
export interface Tracing {
  tracer(service: string): Tracer
  /** Sends the waiting spans, within a bounded time. */
  close(): Promise<void>
}

const wellFormed = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The value if it is a valid trace context. Source: W3C Trace Context, version 00. */
export function validTraceparent(value: unknown): string | undefined {
  return typeof value === 'string' && value.length === 55 && wellFormed.test(value) ? value : undefined
}

/** Runs `work` as a child span of the current one; without a tracer it only runs it. */
export async function inSpan<T>(
  tracer: Tracer | undefined,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  const span = tracer?.start(name, options)
  if (!span) return work()
  const current = currentTrace.getStore()
  try {
    const value = await (current ? currentTrace.run({ ...current, traceparent: span.traceparent }, work) : work())
    span.end()
    return value
  } catch (error) {
    span.end(errorType(error))
    throw error
  }
}

/** The type of an error for a span: its code in the contract, else its class. */
export function errorType(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return typeof code === 'string' && /^[\w.-]{1,50}$/.test(code) ? code : typeof name === 'string' ? name : 'error'
}
