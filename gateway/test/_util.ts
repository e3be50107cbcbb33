import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type ServiceName, serviceNames } from '@watchline/contracts/operation'
import type { SecretList } from '@watchline/kit/core/hmac-signer'
import type { Ports } from '@watchline/kit/process/service-host'
import { createTestWorld, type TestWorld, type TestWorldOptions } from '@watchline/testing/harness'
import type { GatewayConfig } from '../src/config.ts'
import { createGateway } from '../src/gateway.ts'

export const mediaSecrets: SecretList = ['a secret for addresses of files in the tests']

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type RequestHandler = (req: IncomingMessage, res: ServerResponse, body: string) => void

/** An HTTP server in place of a service, which records its requests. By default it echoes them. */
export interface FakeService {
  name: string
  url: string
  received: ReceivedRequest[]
  /** Replaces the echo. Without `readsBody` the handler runs before the body has arrived. */
  answer(handler: RequestHandler, readsBody?: boolean): void
  stop(): Promise<void>
}

export async function startFakeService(name: string, port = 0): Promise<FakeService> {
  const received: ReceivedRequest[] = []
  const echo: RequestHandler = (req, res, body) => {
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ service: name, method: req.method, path: req.url, headers: req.headers, body }))
  }
  let handler = echo
  let readsBody = true
  const server = createServer(async (req, res) => {
    const record = (body: string) => received.push({ method: req.method!, path: req.url!, headers: req.headers, body })
    if (!readsBody) {
      record('')
      handler(req, res, '')
      return
    }
    try {
      let body = ''
      for await (const chunk of req) body += chunk
      record(body)
      handler(req, res, body)
    } catch {
      res.destroy()
    }
  })
  server.keepAliveTimeout = 65_000
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (newHandler, newReadsBody = true) => {
      handler = newHandler
      readsBody = newReadsBody
    },
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export interface TestGateway {
  world: TestWorld
  url: string
  services: Record<ServiceName, FakeService>
  /** Another gateway on the same services, with its own settings. */
  startAnother(overrides?: Partial<GatewayConfig>, ports?: Ports): Promise<string>
  close(): Promise<void>
}

/** A gateway before five fake services, without rate limits unless a test sets them. */
export async function startTestGateway(
  overrides: Partial<GatewayConfig> = {},
  { world: worldOptions }: { world?: TestWorldOptions } = {},
): Promise<TestGateway> {
  const world = await createTestWorld(worldOptions)
  const services = Object.fromEntries(
    await Promise.all(serviceNames.map(async name => [name, await startFakeService(name)] as const)),
  ) as Record<ServiceName, FakeService>
  const stops: (() => Promise<void>)[] = []

  async function startAnother(changes: Partial<GatewayConfig> = {}, ports?: Ports) {
    const gateway = createGateway(
      {
        nodeEnv: 'test',
        logLevel: 'silent',
        host: '127.0.0.1',
        port: 0,
        metricsPort: undefined,
        tlsCaFile: undefined,
        tlsCertFile: undefined,
        tlsKeyFile: undefined,
        drainMs: 0,
        otlpEndpoint: undefined,
        tracesSampler: 'parentbased_always_on',
        tracesSamplerArg: 1,
        publicUrl: 'http://watchline.test',
        allowedHosts: [],
        tokenPublicKey: world.config.tokenPublicKey,
        csrfSecrets: ['a secret for anti-forgery tokens in tests'],
        mediaSecrets,
        connectionsPerAddress: 5_000,
        mediaHosts: [],
        hstsIncludeSubdomains: true,
        apiDocs: true,
        amqpUrl: undefined,
        amqpExchange: world.name,
        amqpServiceUsers: false,
        redisUrl: undefined,
        redisPrefix: '',
        upstreams: Object.fromEntries(serviceNames.map(name => [name, [services[name].url]])) as Record<
          ServiceName,
          string[]
        >,
        devProvider: true,
        devProviderForAll: false,
        webRoot: undefined,
        offlinePage: true,
        mediaRoot: undefined,
        trustedProxies: 0,
        rateLimits: false,
        answerTimeoutMs: 10_000,
        connectTimeoutMs: 60_000,
        connections: 16,
        maxInFlight: 1_000,
        ...changes,
      },
      ports ?? world.ports,
    )
    const { url } = await gateway.start()
    stops.push(() => gateway.stop())
    return url
  }

  const url = await startAnother(overrides)
  return {
    world,
    url,
    services,
    startAnother,
    close: async () => {
      for (const stop of stops.reverse()) await stop()
      for (const name of serviceNames) await services[name].stop()
      await world.close()
    },
  }
}

export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  cookies: string[]
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  json: any
}

export interface TestRequest {
  method?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Sends the body without a content-length. */
  chunked?: boolean
}

/** Sends one request. Unlike fetch it never normalises the path or the headers. */
export function send(url: string, path: string, { method = 'GET', headers = {}, body, chunked }: TestRequest = {}) {
  const { hostname, port } = new URL(url)
  return new Promise<TestResponse>((resolve, reject) => {
    const req = request({ hostname, port, path, method, headers, agent: false })
    req.once('error', reject)
    req.once('response', async res => {
      req.off('error', reject)
      req.on('error', () => {})
      try {
        const chunks: Buffer[] = []
        for await (const chunk of res) chunks.push(chunk as Buffer)
        const text = Buffer.concat(chunks).toString()
        let json: unknown
        try {
          json = JSON.parse(text)
        } catch {
          json = undefined
        }
        resolve({ status: res.statusCode!, headers: res.headers, cookies: res.headers['set-cookie'] ?? [], text, json })
      } catch (error) {
        reject(error)
      }
    })
    if (body !== undefined && !chunked) req.setHeader('content-length', Buffer.byteLength(body))
    if (body !== undefined) req.write(body)
    req.end()
  })
}

/**
 * Sends bytes as no HTTP client would, and resolves to all that the gateway answers until it closes
 * the connection. A half-closing client ends its side after the bytes; otherwise the gateway alone
 * decides when the connection ends.
 */
export async function sendBytes(url: string, text: string, { halfClose = false } = {}): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const bytes = Buffer.from(text, 'latin1')
  if (halfClose) socket.end(bytes)
  else socket.write(bytes)
  let answer = ''
  socket.on('data', chunk => {
    answer += chunk
  })
  socket.on('error', () => {})
  await once(socket, 'close')
  return answer
}

/** A browser that knows cookies and the anti-forgery header. */
export function createBrowser(url: string) {
  const jar = new Map<string, string>()

  async function call(method: string, path: string, { headers = {}, ...request }: TestRequest = {}) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await send(url, path, {
      method,
      ...request,
      headers: {
        ...(cookie && { cookie }),
        ...(method !== 'GET' && jar.has('XSRF-TOKEN') && { 'x-xsrf-token': jar.get('XSRF-TOKEN')! }),
        ...headers,
      },
    })
    for (const setCookie of answer.cookies) {
      const [name, value] = setCookie.split(';')[0]!.split('=') as [string, string]
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }

  return {
    jar,
    /** Sets the access cookie and fetches the anti-forgery cookie for it. */
    async signIn(token: string) {
      jar.set('watchline_access', token)
      await call('GET', '/api/auth/options')
      return this
    },
    get: (path: string, options?: TestRequest) => call('GET', path, options),
    post: (path: string, options?: TestRequest) => call('POST', path, options),
    put: (path: string, options?: TestRequest) => call('PUT', path, options),
    delete: (path: string, options?: TestRequest) => call('DELETE', path, options),
  }
}
