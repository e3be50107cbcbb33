/* A proxy as `@fastify/http-proxy` makes it: no checks, no log, no metrics. */
import proxy from '@fastify/http-proxy'
import fastify from 'fastify'

const { PORT, SERVICE_URL } = process.env as Record<string, string>

const server = fastify({ logger: false })
await server.register(proxy, { upstream: SERVICE_URL!, undici: { connections: 128, pipelining: 1 } })
await server.listen({ host: '127.0.0.1', port: Number(PORT) })
