import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '@watchline/kit/core/free-port'
import { trustAuthority } from '@watchline/kit/core/tls'
import { createHttpServer, type ServerTls } from '@watchline/kit/http/http-server'
import { createStatusServer } from '@watchline/kit/http/status-server'
import { createMetrics } from '@watchline/kit/observability/metrics'
import { ConfigError } from '@watchline/kit/process/config'
import { openPorts } from '@watchline/kit/process/run-process'
import { eventually } from '@watchline/testing/harness'
import { createAuthority, issueCertificate, type KeyPair } from '../../src/deployment/certificates.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

let authority: KeyPair
let stranger: KeyPair
beforeAll(async () => {
  authority = await createAuthority()
  stranger = await createAuthority()
})

function folderWith(files: Record<string, string>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'watchline-tls-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return name => join(folder, name)
}

const problems: string[] = []
const log = {
  info: () => {},
  error: (_: unknown, message?: string) => void problems.push(message!),
} as ServerTls['log']

async function startServer(certificate: KeyPair) {
  const path = folderWith({ cert: certificate.cert, key: certificate.key })
  const server = createHttpServer((_req, res) => void res.end('answer'), {
    port: 0,
    host: '127.0.0.1',
    keepAliveTimeoutMs: 5_000,
    requestTimeoutMs: 5_000,
    maxConnectionAgeMs: 60_000,
    tls: { files: { certFile: path('cert'), keyFile: path('key') }, log, rereadMs: 10 },
  })
  cleanups.push(server.close)
  return { path, ...(await server.listen()) }
}

const causeOf = (error: Error) => (error.cause as { code?: string }).code
const read = (url: string) => fetch(url).then(response => response.text(), causeOf)

describe('a server with a certificate', () => {
  test('is trusted by its authority and its name only, and speaks no plain http', async () => {
    const own = await startServer(await issueCertificate(authority, ['127.0.0.1']))
    const foreign = await startServer(await issueCertificate(stranger, ['127.0.0.1']))
    expect(await read(own.url)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')

    trustAuthority(folderWith({ ca: authority.cert })('ca'))

    expect(own.url).toMatch(/^https:/)
    expect(await read(own.url)).toBe('answer')
    expect(await read(own.url.replace('127.0.0.1', 'localhost'))).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect(await read(foreign.url)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    expect(await read(own.url.replace('https:', 'http:'))).not.toBe('answer')
  })

  test('refuses versions before TLS 1.2', async () => {
    const { port } = await startServer(await issueCertificate(authority, ['127.0.0.1']))
    const versionWith = (maxVersion: 'TLSv1.1' | 'TLSv1.2') =>
      new Promise(resolve => {
        const socket = connect({ port, host: '127.0.0.1', ca: authority.cert, minVersion: 'TLSv1', maxVersion }, () => {
          resolve(socket.getProtocol())
          socket.destroy()
        })
        socket.on('error', () => resolve('refused'))
      })
    expect(await versionWith('TLSv1.2')).toBe('TLSv1.2')
    expect(await versionWith('TLSv1.1')).toBe('refused')
  })

  test('uses a replaced certificate without a restart, and keeps the previous one while files do not match', async () => {
    trustAuthority(folderWith({ ca: authority.cert })('ca'))
    const { path, url } = await startServer(await issueCertificate(authority, ['127.0.0.1']))
    const replace = (name: string, content: string) => {
      writeFileSync(path('new'), content)
      renameSync(path('new'), path(name))
    }
    const subject = () =>
      new Promise<unknown>((resolve, reject) => {
        const agent = new Agent({ maxCachedSessions: 0 })
        get(url, { agent }, response => {
          const { subject } = (response.socket as import('node:tls').TLSSocket).getPeerCertificate()
          response.resume()
          agent.destroy()
          resolve(subject.CN)
        }).on('error', reject)
      })
    const next = await issueCertificate(authority, ['next', '127.0.0.1'])
    problems.length = 0

    replace('cert', next.cert)
    await eventually(() => problems.length > 0)
    expect(await subject()).toBe('127.0.0.1')
    expect(problems[0]).toBe('replaced certificate cannot be read, the previous one stays in use')

    replace('key', next.key)
    await eventually(async () => expect(await subject()).toBe('next'))
  })

  test('serves health and metrics by https as well', async () => {
    trustAuthority(folderWith({ ca: authority.cert })('ca'))
    const { cert, key } = await issueCertificate(authority, ['127.0.0.1'])
    const path = folderWith({ cert, key })
    const port = await freePort()
    const server = createStatusServer({
      port,
      host: '127.0.0.1',
      metrics: createMetrics('any'),
      readiness: async () => ({ ready: true, service: 'any', failing: [], late: [] }),
      tls: { files: { certFile: path('cert'), keyFile: path('key') }, log },
    })
    cleanups.push(server.close)
    await server.listen()
    expect(await read(`https://127.0.0.1:${port}/healthz`)).toContain('ok')
  })
})

describe('a process does not start', () => {
  const start = (files: object) =>
    openPorts('chat', {
      logLevel: 'silent',
      amqpUrl: 'amqp://127.0.0.1:1',
      amqpExchange: 'any',
      amqpServiceUsers: false,
      redisUrl: 'redis://127.0.0.1:1',
      redisPrefix: 'any:',
      otlpEndpoint: undefined,
      tracesSampler: 'always_off',
      tracesSamplerArg: 1,
      tlsCaFile: undefined,
      tlsCertFile: undefined,
      tlsKeyFile: undefined,
      ...files,
    })

  test.each([
    ['one file of a certificate alone', { tlsCertFile: 'cert' }, /^TLS_KEY_FILE: nothing was given/],
    ['a key alone', { tlsKeyFile: 'key' }, /^TLS_CERT_FILE: nothing was given/],
    [
      'a missing file',
      { tlsCertFile: 'none', tlsKeyFile: 'key' },
      /^TLS_CERT_FILE: ".*" was given, which cannot be read/,
    ],
    [
      'an empty certificate',
      { tlsCertFile: 'empty', tlsKeyFile: 'key' },
      /^TLS_CERT_FILE: ".*", accepted is a file of/,
    ],
    ['an empty key', { tlsCertFile: 'cert', tlsKeyFile: 'empty' }, /^TLS_KEY_FILE: ".*", accepted is the private key/],
    [
      'a foreign key',
      { tlsCertFile: 'cert', tlsKeyFile: 'foreign' },
      /^TLS_KEY_FILE: ".*", accepted is the private key/,
    ],
    ['a missing authority', { tlsCaFile: 'none' }, /^TLS_CA_FILE: ".*" was given, which cannot be read/],
    ['an empty authority', { tlsCaFile: 'empty' }, /^TLS_CA_FILE: ".*", accepted is a file of certificates/],
    ['an authority that is none', { tlsCaFile: 'key' }, /^TLS_CA_FILE: ".*", accepted is a file of certificates/],
  ])('with %s', async (_, files, message) => {
    const { cert, key } = await issueCertificate(authority, ['chat'])
    const path = folderWith({ cert, key, empty: '', foreign: stranger.key })
    const paths = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, path(file)]))
    const failure = await start(paths).catch(error => error)
    expect(failure).toBeInstanceOf(ConfigError)
    expect(failure.message.replace('" was given, accepted', '", accepted')).toMatch(message)
  })
})
