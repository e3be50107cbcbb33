// `node shared/kit/src/process/check-readiness.ts`: the health check of a container. It succeeds if
// the process that has the same settings is ready.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { trustAuthority } from '../core/tls.ts'

const { PORT, TLS_CA_FILE, TLS_CERT_FILE } = process.env
const address = { host: '127.0.0.1', port: Number(PORT), path: '/readyz' }

if (TLS_CA_FILE) trustAuthority(TLS_CA_FILE)
const call = TLS_CERT_FILE ? requestTls({ ...address, ...nameIn(TLS_CERT_FILE) }) : request(address)
call.once('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
call.once('error', error => {
  console.error(error.message)
  process.exit(1)
})
call.end()

/** The certificate has the name by which others call this process, and not that of this machine. */
function nameIn(certFile: string): { servername?: string } {
  const [, servername] = /DNS:([^,]+)/.exec(new X509Certificate(readFileSync(certFile)).subjectAltName ?? '') ?? []
  return servername ? { servername } : {}
}
