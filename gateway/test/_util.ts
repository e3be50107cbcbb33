import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceName } from '@watchline/contracts/operation'
import type { Ports } from '@watchline/kit/process/service-host'
import { createTestWorld, type TestWorld, type TestWorldOptions } from '@watchline/testing/harness'
import type { GatewayConfig } from '../src/config.ts'
import { createGateway } from '../src/gateway.ts'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** A real HTTP server in a service's place: notes what it was asked, and answers as it is told. */
export interface FakeService {
  name: string
  url: string
  received: Received[]
  /**
   * Replaces the answer, which otherwise says what arrived. The body is read only when `reads` (the
   * default).
   */
  answer(handler: (req: IncomingMessage, res: ServerResponse, body: string) => void, reads?: boolean): void
  stop(): Promise<void>
}

export async function fakeService(name: string, port = 0): Promise<FakeService> {
  const received: Received[] = []
  const echo = (req: IncomingMessage, res: ServerResponse, body: string) => {
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ service: name, method: req.method, path: req.url, headers: req.headers, body }))
  }
  let handler = echo
  let reads = true
  const server = createServer(async (req, res) => {
    const note = (body: string) => received.push({ method: req.method!, path: req.url!, headers: req.headers, body })
    if (!reads) {
      note('')
      handler(req, res, '')
      return
    }
    try {
      let body = ''
      for await (const chunk of req) body += chunk
      note(body)
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
    answer: (next, readsBody = true) => {
      handler = next
      reads = readsBody
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

const names = ['auth', 'playback-session', 'engagement', 'notification', 'chat'] as const

/** A gateway before five fake services. Nothing is limited unless a test says so. */
export async function startTestGateway(
  overrides: Partial<GatewayConfig> = {},
  { world: worldOptions }: { world?: TestWorldOptions } = {},
): Promise<TestGateway> {
  const world = await createTestWorld(worldOptions)
  const services = Object.fromEntries(
    await Promise.all(names.map(async name => [name, await fakeService(name)] as const)),
  ) as Record<ServiceName, FakeService>
  const stops: (() => Promise<void>)[] = []

  async function startAnother(more: Partial<GatewayConfig> = {}, ports?: Ports) {
    const gateway = createGateway(
      {
        nodeEnv: 'test',
        logLevel: 'silent',
        host: '127.0.0.1',
        port: 0,
        drainMs: 0,
        otlpEndpoint: undefined,
        tracesSampler: 'parentbased_always_on',
        tracesSamplerArg: 1,
        publicUrl: 'http://watchline.test',
        tokenPublicKey: world.config.tokenPublicKey,
        csrfSecret: 'a secret for anti-forgery tokens in tests',
        amqpUrl: undefined,
        amqpExchange: world.name,
        redisUrl: undefined,
        redisPrefix: '',
        upstreams: Object.fromEntries(names.map(name => [name, [services[name].url]])) as Record<ServiceName, string[]>,
        devProvider: true,
        webRoot: undefined,
        mediaRoot: undefined,
        trustedProxies: 0,
        rateLimits: false,
        answerTimeoutMs: 10_000,
        connectTimeoutMs: 2_000,
        connections: 16,
        maxInFlight: 1_000,
        ...more,
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
      for (const name of names) await services[name].stop()
      await world.close()
    },
  }
}

export interface Sent {
  status: number
  headers: IncomingHttpHeaders
  cookies: string[]
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  json: any
}

export interface Send {
  method?: string
  headers?: Record<string, string | string[]>
  body?: string | Buffer
  /** Sends the body without saying how long it is. */
  chunked?: boolean
}

/** One request exactly as given; unlike fetch it puts nothing right in the path or the headers. */
export function send(url: string, path: string, { method = 'GET', headers = {}, body, chunked }: Send = {}) {
  const { hostname, port } = new URL(url)
  return new Promise<Sent>((resolve, reject) => {
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

/** A browser as far as cookies go. */
export function createBrowser(url: string) {
  const jar = new Map<string, string>()

  async function call(method: string, path: string, { headers = {}, ...rest }: Send = {}) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await send(url, path, {
      method,
      ...rest,
      headers: {
        ...(cookie && { cookie }),
        ...(method !== 'GET' && jar.has('XSRF-TOKEN') && { 'x-xsrf-token': jar.get('XSRF-TOKEN')! }),
        ...headers,
      },
    })
    for (const each of answer.cookies) {
      const [name, value] = each.split(';')[0]!.split('=') as [string, string]
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }

  return {
    jar,
    /** Has an access cookie from now on, and fetches the anti-forgery cookie that belongs to it. */
    async signIn(token: string) {
      jar.set('watchline_access', token)
      await call('GET', '/api/auth/options')
      return this
    },
    get: (path: string, options?: Send) => call('GET', path, options),
    post: (path: string, options?: Send) => call('POST', path, options),
    put: (path: string, options?: Send) => call('PUT', path, options),
    delete: (path: string, options?: Send) => call('DELETE', path, options),
  }
}
