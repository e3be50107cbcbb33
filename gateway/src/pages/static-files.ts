import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import express, { type RequestHandler } from 'express'
import expressStaticGzip from 'express-static-gzip'
import type { Exchange } from '../requests/exchange.ts'
import { reply } from '../requests/replies.ts'

const yearS = 365 * 24 * 3_600
const mediaMaxAgeS = 3_600

/**
 * The web build, precompressed. Browsers cache hashed assets for a year and revalidate the rest. A
 * path without a file extension is a route of the client and gets index.html; a missing file goes
 * to the next handler. Without `offlinePage` the service worker's address has a worker that removes
 * itself and its files from browsers.
 */
export function serveWeb(webRoot: string | undefined, { offlinePage }: { offlinePage: boolean }): RequestHandler {
  const root = webRoot && resolve(webRoot)
  if (!root || !existsSync(join(root, 'index.html'))) return replyNotBuilt
  const files = expressStaticGzip(root, {
    enableBrotli: true,
    orderPreference: ['br', 'gzip'],
    index: false,
    serveStatic: {
      index: false,
      redirect: false,
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: (res, path) => {
        const hashed = path.startsWith(join(root, 'assets'))
        res.setHeader('cache-control', hashed ? `public, max-age=${yearS}, immutable` : 'no-cache')
      },
    },
  })
  return (req, res, next) => {
    const path = req.path
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (!name.includes('.')) req.url = '/index.html'
    else if (path === '/service-worker.js' && !offlinePage) req.url = '/remove-service-worker.js'
    files(req, res, next)
  }
}

const replyNotBuilt: RequestHandler = (req, res, next) => {
  const name = req.path.slice(req.path.lastIndexOf('/') + 1)
  if (name.includes('.')) {
    next()
    return
  }
  const exchange = res.locals.exchange as Exchange
  const page =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Watchline</title>' +
    '<body><h1>Watchline</h1><p>The web client is not built yet. <code>make start</code> builds it.</p></body></html>'
  reply(exchange, 503, page, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': '10',
  })
}

/**
 * Video files and their captions: ranges, no listings, no hidden files. The policy keeps browsers
 * from rendering one as a page, or inside a frame.
 */
export function serveMedia(mediaRoot: string): RequestHandler {
  return express.static(resolve(mediaRoot), {
    index: false,
    redirect: false,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders: (res, path) => {
      // Corrected captions show at the next start of the video.
      res.setHeader('cache-control', path.endsWith('.vtt') ? 'private, no-cache' : `private, max-age=${mediaMaxAgeS}`)
      res.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
      res.setHeader('cross-origin-resource-policy', 'same-origin')
    },
  })
}
