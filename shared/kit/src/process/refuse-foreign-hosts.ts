import { isIP } from 'node:net'
import { errorCodes } from '@watchline/contracts/errors'
import type { RequestHandler } from 'express'
import { isLoopback } from './config.ts'

/**
 * Answers 421 to calls of this machine that name another host. A website can point its own name at
 * a developer's machine (DNS rebinding). Its pages would then call the service itself, past the
 * gateway. Not for production, where a proxy beside the process may pass other names on.
 */
export const refuseForeignHosts: RequestHandler = (req, res, next) => {
  const name = (req.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  const isOwn = isLoopback(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0
  if (isOwn || !/^(::1|(::ffff:)?127(\.\d+){3})$/.test(req.socket.remoteAddress ?? '')) return next()
  res.status(errorCodes.wrong_host.status).json({ detail: errorCodes.wrong_host.detail, code: 'wrong_host' })
}
