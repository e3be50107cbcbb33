import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector receives it, with the attributes of its resource. */
export interface ReceivedSpan {
  service: string
  resource: Record<string, unknown>
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, unknown>
  failed: boolean
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

/**
 * An OpenTelemetry collector: accepts OTLP over HTTP as JSON at /v1/traces, and stores all spans.
 */
export async function startCollector() {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const server = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8')
    req.on('data', chunk => {
      text += chunk
    })
    req.on('end', () => {
      if (req.url !== '/v1/traces' || req.method !== 'POST') return void res.writeHead(404).end()
      bodies.push(text)
      for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
        const resourceAttributes = attributesOf(resource.attributes)
        for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans))
          spans.push({
            service: String(resourceAttributes['service.name']),
            resource: resourceAttributes,
            name: span.name,
            kind: span.kind,
            traceId: span.traceId,
            spanId: span.spanId,
            parentSpanId: span.parentSpanId || undefined,
            attributes: attributesOf(span.attributes),
            failed: span.status?.code === 2,
          })
      }
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** All request bodies. */
    text: () => bodies.join('\n'),
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

function attributesOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
