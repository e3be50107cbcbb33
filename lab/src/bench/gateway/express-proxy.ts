/* A proxy as Express and http-proxy-middleware make it: no checks, no log, no metrics. */
import { Agent } from 'node:http'
import express from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'

const { PORT, SERVICE_URL } = process.env as Record<string, string>

// Without an agent it opens a connection for each request.
const agent = new Agent({ keepAlive: true, maxSockets: 128 })
express()
  .use(createProxyMiddleware({ target: SERVICE_URL, agent }))
  .listen(Number(PORT), '127.0.0.1')
