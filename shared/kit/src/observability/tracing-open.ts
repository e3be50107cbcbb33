import { createLogger, type Logger } from './log.ts'
import type { TracesSampler, Tracing } from './tracing.ts'

/** The settings of a process that concern tracing. */
export interface TracingConfig {
  logLevel: string
  /** The base URL of the collector; without one no spans are exported. */
  otlpEndpoint?: string | undefined
  tracesSampler: TracesSampler
  /** The share of traces to record, 0 to 1. */
  tracesSamplerArg: number
}

/**
 * Loads OpenTelemetry if a collector is configured; otherwise resolves to undefined and loads
 * nothing.
 */
export async function openTracing(config: TracingConfig, log?: Logger): Promise<Tracing | undefined> {
  if (!config.otlpEndpoint) return undefined
  const { createOtlpTracing } = await import('./tracing-otlp.ts')
  return createOtlpTracing(
    { endpoint: config.otlpEndpoint, sampler: config.tracesSampler, samplerArg: config.tracesSamplerArg },
    log ?? createLogger('tracing', config.logLevel),
  )
}
