import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector gets it, with what its resource says. */
export interface Received {
  service: string
  resource: Record<string, unknown>
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  facts: Record<string, unknown>
  failed: boolean
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

/** What an OpenTelemetry collector is to an exporter: OTLP over HTTP in JSON at /v1/traces. Keeps all it was sent. */
export async function startCollector() {
  const spans: Received[] = []
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
        const about = factsOf(resource.attributes)
        for (const span of scopeSpans.flatMap((scope: { spans: object[] }) => scope.spans))
          spans.push({
            service: String(about['service.name']),
            resource: about,
            name: span.name,
            kind: span.kind,
            traceId: span.traceId,
            spanId: span.spanId,
            parentSpanId: span.parentSpanId || undefined,
            facts: factsOf(span.attributes),
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
    /** All that was sent, as it was sent. */
    text: () => bodies.join('\n'),
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

function factsOf(attributes: Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
