import type { Clock } from '@watchline/kit/core/clock'
import express, { type RequestHandler } from 'express'
import { z } from 'zod'
import { type Exchange, logIds } from '../requests/exchange.ts'
import { reply } from '../requests/replies.ts'

const maxBytes = 16_384
const maxReportsInBody = 20
/** Browser extensions cause many violations, so the log gets this many a minute. */
const logsPerMinute = 20

const text = z.string().max(4_000)
const reportUriBody = z.object({
  'csp-report': z.object({
    'document-uri': text.optional(),
    'effective-directive': text.optional(),
    'violated-directive': text.optional(),
    'blocked-uri': text.optional(),
  }),
})
const reportingApiBody = z
  .array(
    z.object({
      type: text,
      body: z.looseObject({
        documentURL: text.optional(),
        effectiveDirective: text.optional(),
        blockedURL: text.optional(),
      }),
    }),
  )
  .max(maxReportsInBody)

interface Violation {
  page: string
  directive: string
  blocked: string
}

/**
 * Writes what browsers report about the content security policy to the log. Anybody may send it.
 */
export function receivePolicyReports(clock: Clock): RequestHandler[] {
  let windowStart = 0
  let logged = 0

  function mayLog(): boolean {
    const now = clock.now()
    if (now - windowStart >= 60_000) {
      windowStart = now
      logged = 0
    }
    logged += 1
    return logged <= logsPerMinute
  }

  return [
    express.json({ type: ['application/csp-report', 'application/reports+json', 'application/json'], limit: maxBytes }),
    (req, res) => {
      const exchange = res.locals.exchange as Exchange
      exchange.operation = 'policyReport'
      for (const violation of readViolations(req.body))
        if (mayLog()) exchange.log.warn({ ...logIds(exchange), ...violation }, 'content security policy violated')
      reply(exchange, 204, '', {})
    },
  ]
}

function readViolations(body: unknown): Violation[] {
  const old = reportUriBody.safeParse(body).data?.['csp-report']
  if (old)
    return [
      {
        page: pathOf(old['document-uri']),
        directive: nameOf(old['effective-directive'] ?? old['violated-directive']),
        blocked: originOf(old['blocked-uri']),
      },
    ]
  const reports = reportingApiBody.safeParse(body).data ?? []
  return reports
    .filter(({ type }) => type === 'csp-violation')
    .map(({ body: { documentURL, effectiveDirective, blockedURL } }) => ({
      page: pathOf(documentURL),
      directive: nameOf(effectiveDirective),
      blocked: originOf(blockedURL),
    }))
}

/** Without the query, which may name people or hold a code of a sign-in. */
function pathOf(url: string | undefined): string {
  return URL.canParse(url ?? '') ? new URL(url!).pathname.slice(0, 200) : ''
}

/** `inline`, `eval` and the like, or the origin of an address. */
function originOf(url: string | undefined): string {
  return URL.canParse(url ?? '') ? new URL(url!).origin.slice(0, 200) : nameOf(url)
}

function nameOf(name = ''): string {
  return /^[\w-]{1,40}/.exec(name)?.[0] ?? ''
}
