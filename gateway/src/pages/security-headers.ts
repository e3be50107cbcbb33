import { IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'

export type HeaderValues = Readonly<Record<string, string>>

const youtube = ['https://www.youtube-nocookie.com', 'https://www.youtube.com'] as const

/**
 * The headers of pages: helmet's, as open as the players need. YouTube requires a referrer, and
 * frames and scripts from its own hosts. Files and HLS may be on any https host; when the gateway
 * itself is on http, also on http, and without upgrades to https. Mantine needs inline styles.
 * Inline scripts are never allowed.
 */
export function pageHeaders(publicUrl: string): HeaderValues {
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
          'img-src': ["'self'", 'data:', 'https:'],
          'font-src': ["'self'", 'data:'],
          'media-src': ["'self'", 'blob:', ...anywhere],
          'connect-src': ["'self'", ...anywhere],
          'frame-src': ["'self'", ...youtube],
          'worker-src': ["'self'", 'blob:'],
          'object-src': ["'none'"],
          'base-uri': ["'self'"],
          'form-action': ["'self'"],
          'frame-ancestors': ["'none'"],
          ...(https && { 'upgrade-insecure-requests': [] }),
        },
      },
      referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
      crossOriginEmbedderPolicy: false,
      crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
      strictTransportSecurity: https && { maxAge: 365 * 24 * 3600, includeSubDomains: false },
      xFrameOptions: { action: 'deny' },
      xDownloadOptions: false,
      xXssProtection: false,
    }),
  )
  const players = `(self ${youtube.map(host => `"${host}"`).join(' ')})`
  return {
    ...helmetHeaders,
    'permissions-policy': [
      ...['autoplay', 'fullscreen', 'picture-in-picture', 'encrypted-media'].map(feature => `${feature}=${players}`),
      ...['camera', 'microphone', 'geolocation', 'payment', 'usb'].map(feature => `${feature}=()`),
    ].join(', '),
  }
}

/** The headers of JSON replies: nothing in them may load, run or be framed. */
export function apiHeaders(publicUrl: string): HeaderValues {
  const page = pageHeaders(publicUrl)
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
