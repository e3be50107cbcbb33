import { hostname } from 'node:os'
import {
  type Context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  SpanKind as Kind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace as traceApi,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { version } from '../core/version.ts'
import { currentTrace, type Logger } from './log.ts'
import {
  type Span,
  type SpanOptions,
  type Tracer,
  type TracesSampler,
  type Tracing,
  validTraceparent,
} from './tracing.ts'

export interface OtlpOptions {
  /** The collector's base address; spans go to /v1/traces below it. */
  endpoint: string
  sampler: TracesSampler
  samplerArg: number
}

/** Further spans are dropped, which bounds the memory while the collector is unavailable. */
const maxQueue = 8_192
const maxBatch = 512
const exportPauseMs = 2_000
const exportTimeoutMs = 5_000
/** An unavailable collector must not delay the end of a process. */
const closeTimeoutMs = 3_000

const kinds = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
  internal: Kind.INTERNAL,
} as const

/**
 * Exports spans by OTLP over HTTP (JSON). The code creates spans itself, because automatic
 * instrumentation patches other modules and adds data such as queries and addresses. One exporter
 * for each process, and one resource for each service in it.
 */
export function createOtlpTracing({ endpoint, sampler, samplerArg }: OtlpOptions, log: Logger): Tracing {
  const exporter = withOutageLog(
    new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, timeoutMillis: exportTimeoutMs }),
    log,
  )
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: maxQueue,
    maxExportBatchSize: maxBatch,
    scheduledDelayMillis: exportPauseMs,
    exportTimeoutMillis: exportTimeoutMs + 1_000,
  })
  // All providers share it, so only `close` below may end it.
  const shared: SpanProcessor = {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd: span => batches.onEnd(span),
    forceFlush: () => batches.forceFlush(),
    shutdown: async () => {},
  }
  const root = rootSampler(sampler, samplerArg)
  const chosen = sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
  const tracers = new Map<string, Tracer>()

  function tracerOf(service: string): Tracer {
    // OTEL_RESOURCE_ATTRIBUTES may add attributes, but not replace those of the service.
    const resource = defaultResource()
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
      .merge(
        resourceFromAttributes({
          'service.name': service,
          'service.namespace': 'watchline',
          'service.version': version,
          'service.instance.id': `${hostname()}:${process.pid}`,
        }),
      )
    const provider = new TracerProvider({ resource, sampler: chosen, spanProcessors: [shared] })
    const tracer = provider.getTracer('watchline', version)
    return {
      start: (name, options) => {
        const parent = contextOf(options, root)
        return wrap(tracer.startSpan(name, { kind: kinds[options.kind], attributes: options.attributes ?? {} }, parent))
      },
    }
  }

  return {
    tracer: service => {
      const tracer = tracers.get(service) ?? tracerOf(service)
      tracers.set(service, tracer)
      return tracer
    },
    close: async () => {
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<void>(resolve => {
        timer = setTimeout(resolve, closeTimeoutMs)
      })
      await Promise.race([batches.shutdown().catch(() => {}), timeout])
      clearTimeout(timer)
    },
  }
}

function rootSampler(name: OtlpOptions['sampler'], ratio: number): Sampler {
  const own = name.replace('parentbased_', '')
  if (own === 'always_off') return new AlwaysOffSampler()
  return own === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler()
}

/**
 * The parent context of a span. For a parent from outside, the sampler here decides about
 * recording.
 */
function contextOf({ parent, isExternal, kind }: SpanOptions, root: Sampler): Context {
  const traceparent = validTraceparent(parent) ?? currentTrace.getStore()?.traceparent
  if (!traceparent) return ROOT_CONTEXT
  const traceId = traceparent.slice(3, 35)
  const spanId = traceparent.slice(36, 52)
  let traceFlags = Number.parseInt(traceparent.slice(53), 16) & TraceFlags.SAMPLED
  if (isExternal) {
    const { decision } = root.shouldSample(ROOT_CONTEXT, traceId, '', kinds[kind], {}, [])
    traceFlags = decision === SamplingDecision.RECORD_AND_SAMPLED ? TraceFlags.SAMPLED : TraceFlags.NONE
  }
  const context = { traceId, spanId, traceFlags, isRemote: true }
  return isSpanContextValid(context) ? traceApi.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT
}

function wrap(span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext() ?? INVALID_SPAN_CONTEXT
  let ended = false
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`,
    update: (name, facts) => {
      if (name) span.updateName(name)
      if (facts) span.setAttributes(facts)
    },
    end: failed => {
      if (ended) return
      ended = true
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failed)
      span.end()
    },
  }
}

/**
 * Logs once when the collector becomes unavailable and once when it is back; drops spans meanwhile.
 */
function withOutageLog(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, result => {
        const failed = result.code !== 0
        if (failed && !isAway) log.warn({ err: result.error }, 'trace collector unavailable, spans are dropped')
        if (!failed && isAway) log.info('trace collector available again')
        isAway = failed
        done({ code: 0 })
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
