import { IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'
import type { GatewayConfig } from '../config.ts'

export type HeaderValues = Readonly<Record<string, string>>

/** Browsers send reports of violations of the policy here. */
export const policyReportPath = '/policy-reports'

type HeaderSettings = Pick<GatewayConfig, 'publicUrl' | 'mediaHosts' | 'hstsIncludeSubdomains'>

const youtube = ['https://www.youtube-nocookie.com', 'https://www.youtube.com'] as const

/**
 * The headers of pages: helmet's, as open as the players need. YouTube requires a referrer, and
 * frames and scripts from its own hosts. Authors enter addresses of files, so these may be on any
 * https host unless the operator names the hosts. A gateway on http also allows http, and does not
 * upgrade to https. Pages call other hosts than their own only for HLS, at hosts that the operator
 * names. Mantine needs inline styles. Inline scripts are never allowed. Browsers with Trusted Types
 * ask the policy in web/src/app/trusted-types.ts about each text that becomes HTML or the address
 * of a script. YouTube's loader brings a policy of its own.
 */
export function pageHeaders({ publicUrl, mediaHosts, hstsIncludeSubdomains }: HeaderSettings): HeaderValues {
  const https = publicUrl.startsWith('https:')
  const anywhere = https ? ['https:'] : ['https:', 'http:']
  const helmetHeaders = computeHeaders(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          'default-src': ["'self'"],
          'script-src': ["'self'", 'https://www.youtube.com'],
          'script-src-attr': ["'none'"],
          'style-src': ["'self'", "'unsafe-inline'"],
          'img-src': ["'self'", 'data:'],
          'font-src': ["'self'", 'data:'],
          'media-src': ["'self'", 'blob:', ...(mediaHosts.length > 0 ? mediaHosts : anywhere)],
          'connect-src': ["'self'", ...mediaHosts],
          'frame-src': ["'self'", ...youtube],
          'worker-src': ["'self'", 'blob:'],
          'object-src': ["'none'"],
          'base-uri': ["'none'"],
          'require-trusted-types-for': ["'script'"],
          'trusted-types': ['default', 'youtube-widget-api'],
          'form-action': ["'self'"],
          'frame-ancestors': ["'none'"],
          'report-uri': [policyReportPath],
          'report-to': ['policy'],
          ...(https && { 'upgrade-insecure-requests': [] }),
        },
      },
      referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
      crossOriginEmbedderPolicy: false,
      crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
      strictTransportSecurity: https && { maxAge: 365 * 24 * 3600, includeSubDomains: hstsIncludeSubdomains },
      xFrameOptions: { action: 'deny' },
      xDownloadOptions: false,
      xXssProtection: false,
    }),
  )
  const players = `(self ${youtube.map(host => `"${host}"`).join(' ')})`
  return {
    ...helmetHeaders,
    'reporting-endpoints': `policy="${policyReportPath}"`,
    'permissions-policy': [
      ...['autoplay', 'fullscreen', 'picture-in-picture', 'encrypted-media'].map(feature => `${feature}=${players}`),
      ...['camera', 'microphone', 'geolocation', 'payment', 'usb'].map(feature => `${feature}=()`),
    ].join(', '),
  }
}

/** The headers of JSON replies: nothing in them may load, run or be framed. */
export function apiHeaders(settings: HeaderSettings): HeaderValues {
  const page = pageHeaders(settings)
  const hsts = page['strict-transport-security']
  return {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    ...(hsts && { 'strict-transport-security': hsts }),
  }
}

/** helmet's headers are the same for every request, so they are computed once. */
function computeHeaders(middleware: ReturnType<typeof helmet>): HeaderValues {
  const headers: Record<string, string> = {}
  const res = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
    removeHeader: () => {},
  }
  middleware(new IncomingMessage(new Socket()), res as unknown as ServerResponse, error => {
    if (error) throw error
  })
  return headers
}
