import type { BaseConfig } from '../process/config.ts'
import { createLogger, type Logger } from './log.ts'
import type { Tracing } from './tracing.ts'

export type TracingConfig = Pick<BaseConfig, 'logLevel' | 'otlpEndpoint' | 'tracesSampler' | 'tracesSamplerArg'>

/** Loads OpenTelemetry where a collector is named; undefined, and nothing loaded, where none is. */
export async function openTracing(config: TracingConfig, log?: Logger): Promise<Tracing | undefined> {
  if (!config.otlpEndpoint) return undefined
  const { createOtlpTracing } = await import('./tracing-otlp.ts')
  return createOtlpTracing(
    { endpoint: config.otlpEndpoint, sampler: config.tracesSampler, samplerArg: config.tracesSamplerArg },
    log ?? createLogger('tracing', config.logLevel),
  )
}
