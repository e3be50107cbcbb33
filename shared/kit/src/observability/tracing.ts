import { currentTrace } from './log.ts'

/** Facts of a span: ids, names of operations and templates of paths, numbers. Never personal data, texts or addresses of people. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

/** The samplers of OpenTelemetry. Source: its specification of environment variables, OTEL_TRACES_SAMPLER. */
export const tracesSamplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type TracesSampler = (typeof tracesSamplers)[number]

/** Something that takes time and belongs to a trace. */
export interface Span {
  /** W3C trace context that names this span: goes to whoever is called, and into what is logged meanwhile. */
  readonly traceparent: string
  /** Adds attributes that become known later. */
  note(name: string | undefined, facts?: SpanAttributes): void
  /** Ends it; `failed` says why it went wrong in a word (an error's kind or code, never its message). Only the first end counts. */
  end(failed?: string): void
}

export interface SpanOptions {
  kind: SpanKind
  /** Default: the span under way here. */
  parent?: string | undefined
  /** The parent came from outside: its trace is continued, but whether it is recorded is decided here. */
  fromOutside?: boolean
  facts?: SpanAttributes
}

/** Makes the spans of one service. There is none where nothing is exported: who makes spans asks with `?.`, which costs nothing. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span
}

/** The exporting of a process's spans. */
export interface Tracing {
  tracer(service: string): Tracer
  /** Sends what waits, within a bounded time. */
  close(): Promise<void>
}

const wellFormed = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** A trace context as it may be passed on; undefined for anything else. Source: W3C Trace Context, version 00. */
export function validTraceparent(given: unknown): string | undefined {
  return typeof given === 'string' && given.length === 55 && wellFormed.test(given) ? given : undefined
}

/** Does `work` as a span of its own below the one under way. Without a tracer it is just done. */
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
