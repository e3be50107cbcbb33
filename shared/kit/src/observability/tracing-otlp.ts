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

/** Spans beyond it are dropped: a collector that is away costs memory up to here and nothing more. */
const maxQueue = 8_192
const maxBatch = 512
const everyMs = 2_000
const exportTimeoutMs = 5_000
/** At a stop; a collector that is away must not hold up the end of a process. */
const farewellMs = 3_000

const kinds = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  consumer: Kind.CONSUMER,
  internal: Kind.INTERNAL,
} as const

/**
 * Exports spans by OTLP over HTTP (JSON). By hand, without automatic instrumentation: that patches other people's modules, and would
 * put what it finds there (queries, addresses) on the spans. One exporter a process; a resource for each service in it.
 */
export function createOtlpTracing({ endpoint, sampler, samplerArg }: OtlpOptions, log: Logger): Tracing {
  const exporter = calm(
    new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, timeoutMillis: exportTimeoutMs }),
    log,
  )
  const batches = new BatchSpanProcessor({
    exporter,
    maxQueueSize: maxQueue,
    maxExportBatchSize: maxBatch,
    scheduledDelayMillis: everyMs,
    exportTimeoutMillis: exportTimeoutMs + 1_000,
  })
  // Shared by all providers: only the last close may end it.
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
    // OTEL_RESOURCE_ATTRIBUTES may add to what a service says of itself, and not change it.
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
        return wrap(tracer.startSpan(name, { kind: kinds[options.kind], attributes: options.facts ?? {} }, parent))
      },
    }
  }

  return {
    tracer: service => {
      const known = tracers.get(service) ?? tracerOf(service)
      tracers.set(service, known)
      return known
    },
    close: async () => {
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<void>(resolve => {
        timer = setTimeout(resolve, farewellMs)
      })
      await Promise.race([batches.shutdown().catch(() => {}), patience])
      clearTimeout(timer)
    },
  }
}

function rootSampler(name: OtlpOptions['sampler'], ratio: number): Sampler {
  const own = name.replace('parentbased_', '')
  if (own === 'always_off') return new AlwaysOffSampler()
  return own === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler()
}

/** The context a span begins in: its parent's, with our own decision about recording where the parent came from outside. */
function contextOf({ parent, fromOutside, kind }: SpanOptions, root: Sampler): Context {
  const given = validTraceparent(parent) ?? currentTrace.getStore()?.traceparent
  if (!given) return ROOT_CONTEXT
  const traceId = given.slice(3, 35)
  const spanId = given.slice(36, 52)
  let traceFlags = Number.parseInt(given.slice(53), 16) & TraceFlags.SAMPLED
  if (fromOutside) {
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
    note: (name, facts) => {
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

/** A collector that is away is told once, and once that it is back; its spans are dropped. */
function calm(exporter: SpanExporter, log: Logger): SpanExporter {
  let away = false
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, result => {
        const failed = result.code !== 0
        if (failed && !away) log.warn({ err: result.error }, 'the trace collector cannot be reached; spans are dropped')
        if (!failed && away) log.info('the trace collector is back')
        away = failed
        done({ code: 0 })
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
