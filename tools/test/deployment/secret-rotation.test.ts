import { X509Certificate } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { serviceNames } from '@watchline/contracts/operation'
import { createTokenIssuer, createTokenSigner, createTokenVerifier } from '@watchline/identity/tokens'
import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'
import { readServerCertificate } from '@watchline/kit/core/tls'
import { createInternalCredentials } from '@watchline/kit/http/internal-credentials'
import { authoritiesIn, createAuthority, issueCertificate, namesOf } from '../../src/deployment/certificates.ts'
import {
  renewStoredCertificates,
  rotateStoredSecrets,
  secureStoredAddresses,
  writeSecretFiles,
} from '../../src/deployment/secret-files.ts'
import type { RotationStep } from '../../src/deployment/secret-rotation.ts'
import { developmentSecrets } from '../../src/start/secrets.ts'
import { temporaryFolder } from '../_processes.ts'

let folder: string
beforeEach(async () => {
  folder = join(temporaryFolder(), 'secrets')
  await writeSecretFiles(folder)
})

const fileNames = () =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
const secret = (name: string) => readFileSync(join(folder, name), 'utf8')
const listOf = (name: string) => secret(name).split('\n') as unknown as SecretList

/** Everything that processes with these secrets sign, and a check of what others signed. */
function createProcesses() {
  const settings = { tokenPrivateKey: secret('token_private_key'), tokenPublicKey: secret('token_public_key') }
  const { signer, tokens } = createTokenIssuer(settings)
  const refresh = createHmacSigner(listOf('refresh_secret'))
  const credentialsOf = (service: (typeof serviceNames)[number]) =>
    createInternalCredentials(service, {
      internalPrivateKey: secret(`internal_private_key_${service}`),
      internalPublicKeys: secret('internal_public_keys'),
    })
  const callee = credentialsOf('auth')
  return {
    signed: {
      token: signer.sign({ sub: 'p', sid: 's', ver: 1, authTimeMs: 0 }, Date.now(), 600),
      refresh: refresh.sign('text'),
      call: credentialsOf('chat').headersFor('auth'),
    },
    accepts: ({
      token,
      refresh: signature,
      call,
    }: {
      token: string
      refresh: string
      call: Record<string, string>
    }) => [
      tokens.verify(token, Date.now()) !== undefined,
      refresh.matches('text', signature),
      callee.identify(name => call[name]) === 'chat',
    ],
  }
}
const all = [true, true, true]
const rotate = (step: RotationStep, ...names: string[]) =>
  rotateStoredSecrets(folder, step, names.length > 0 ? names : undefined)

describe('a rotation', () => {
  test('changes every secret so that neighbouring steps accept what the other signs', async () => {
    const first = createProcesses()
    await rotate('next')
    const next = createProcesses()
    await rotate('switch')
    const switched = createProcesses()
    await rotate('finish')
    const finished = createProcesses()

    for (const [one, other] of [
      [first, next],
      [next, switched],
      [switched, finished],
    ] as const) {
      expect(one.accepts(other.signed)).toEqual(all)
      expect(other.accepts(one.signed)).toEqual(all)
    }
    expect(first.accepts(switched.signed)).toEqual([false, false, false])
    expect(finished.accepts(first.signed)).toEqual([false, false, false])
  })

  test('leaves the files of a new folder, readable as before', async () => {
    const names = fileNames()
    for (const step of ['next', 'switch', 'finish'] as const) await rotate(step)
    expect(fileNames()).toEqual(names)
    for (const name of names)
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, name.includes('/') ? 0o400 : 0o444])
  })

  test('leaves certificates alone unless it names their authority, because stores would need a restart', async () => {
    const isCertificate = (name: string) => /(^|\/)tls_/.test(name)
    const certificates = () => fileNames().filter(isCertificate).map(secret)
    const before = certificates()
    expect(before.length).toBeGreaterThan(5)
    for (const step of ['next', 'switch', 'finish'] as const) await rotate(step)
    expect(certificates()).toEqual(before)
  })

  test('may be of one secret', async () => {
    const before = secret('csrf_secret')
    expect((await rotate('next', 'refresh_secret')).sort()).toEqual(['refresh_secret', 'refresh_secret_next'])
    expect(secret('csrf_secret')).toBe(before)
    await expect(rotate('next', 'mongo_keyfile')).rejects.toThrow('mongo_keyfile cannot be rotated here')
  })

  test('refuses a step out of order and changes nothing', async () => {
    await expect(rotate('switch')).rejects.toThrow('token_private_key has no next value')
    await rotate('next')
    const before = secret('csrf_secret')
    await expect(rotate('next')).rejects.toThrow('token_private_key has a next value already')
    await expect(rotate('finish')).rejects.toThrow('token_private_key has a next value already')
    expect(secret('csrf_secret')).toBe(before)
  })

  test('works in the secrets of a development instance, also of an older version', async () => {
    const dataDir = temporaryFolder()
    developmentSecrets(dataDir, {})
    const file = join(dataDir, 'secrets.json')
    const INTERNAL_SECRET = 'i'.repeat(64)
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), INTERNAL_SECRET }))
    const before = developmentSecrets(dataDir, {})

    await rotateStoredSecrets(file, 'next')
    await rotateStoredSecrets(file, 'switch')

    const after = developmentSecrets(dataDir, {})
    expect(Object.keys(after)).toEqual(Object.keys(before))
    const { kid } = createTokenSigner(before.TOKEN_PRIVATE_KEY)
    expect(createTokenVerifier(after.TOKEN_PUBLIC_KEY).keys.map(key => key.kid)).toEqual([
      kid,
      createTokenSigner(after.TOKEN_PRIVATE_KEY).kid,
    ])
    expect(after.CSRF_SECRET.split('\n')[1]).toBe(before.CSRF_SECRET)
    const credentialsOf = (internalPrivateKey: string) =>
      createInternalCredentials('auth', { internalPrivateKey, internalPublicKeys: after.INTERNAL_PUBLIC_KEYS })
    for (const key of [before.INTERNAL_PRIVATE_KEY, after.INTERNAL_PRIVATE_KEY])
      expect(() => credentialsOf(key)).not.toThrow()
  })
})

describe('certificates', () => {
  const trusts = (ca: string, cert: string) =>
    authoritiesIn(ca).some(({ pem }) => {
      const authority = new X509Certificate(pem)
      const certificate = new X509Certificate(cert)
      return certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
    })
  const certificates = () => fileNames().filter(name => /^tls_(cert|pem)_/.test(name))

  test('come from an authority of the folder, for the names of their servers', async () => {
    expect(certificates()).toHaveLength(9)
    for (const name of certificates()) expect([name, trusts(secret('tls_ca'), secret(name))]).toEqual([name, true])
    expect(namesOf(secret('tls_cert_auth'))).toEqual(['auth', 'watchline-metrics'])
    expect(namesOf(secret('tls_pem_mongodb'))).toEqual(['mongodb'])
    const cluster = join(temporaryFolder(), 'secrets')
    await writeSecretFiles(cluster, 'watchline.svc')
    const namesIn = (file: string) => namesOf(readFileSync(join(cluster, file), 'utf8'))
    expect(namesIn('tls_cert_auth')).toEqual(['auth', 'auth.watchline.svc', 'watchline-metrics'])
    expect(namesIn('tls_cert_rabbitmq')).toEqual(['rabbitmq', 'rabbitmq.watchline.svc', 'rabbitmq-0'])
  })

  test('are renewed for the same names, and the authority stays', async () => {
    const authority = secret('tls_ca')
    const before = Object.fromEntries(certificates().map(name => [name, secret(name)]))

    const renewed = await renewStoredCertificates(folder)

    expect(renewed).toHaveLength(9 + 8)
    expect(secret('tls_ca')).toBe(authority)
    for (const name of certificates()) {
      expect(secret(name)).not.toBe(before[name])
      expect(namesOf(secret(name))).toEqual(namesOf(before[name]!))
      expect(trusts(authority, secret(name))).toBe(true)
    }
    for (const name of ['auth', 'redis'])
      expect(() =>
        readServerCertificate({ certFile: join(folder, `tls_cert_${name}`), keyFile: join(folder, `tls_key_${name}`) }),
      ).not.toThrow()
  })

  test('follow a new authority in steps that trust each other, and foreign authorities stay', async () => {
    const foreign = (await issueCertificate(await createAuthority(), ['the stores of the organisation'])).cert
    chmodSync(join(folder, 'tls_ca'), 0o600)
    writeFileSync(join(folder, 'tls_ca'), `${secret('tls_ca')}${foreign}`)
    const states = [{ ca: secret('tls_ca'), cert: secret('tls_cert_chat') }]
    for (const step of ['next', 'switch', 'finish'] as const) {
      await rotate(step, 'tls_authority')
      states.push({ ca: secret('tls_ca'), cert: secret('tls_cert_chat') })
    }
    for (const [index, state] of states.entries())
      for (const neighbour of states.slice(Math.max(0, index - 1), index + 2))
        expect([index, trusts(state.ca, neighbour.cert)]).toEqual([index, true])
    expect(trusts(states[3]!.ca, states[0]!.cert)).toBe(false)
    expect(trusts(states[0]!.ca, states[3]!.cert)).toBe(false)
    expect(authoritiesIn(secret('tls_ca'))).toHaveLength(2)
    expect(secret('tls_ca')).toContain(foreign)
  })

  test('are not renewed while the key of the authority is elsewhere, and nothing else needs it', async () => {
    rmSync(join(folder, 'authority'), { recursive: true })
    await expect(renewStoredCertificates(folder)).rejects.toThrow('authority/tls_ca_key is missing')
    expect(await writeSecretFiles(folder)).toEqual([])
    rmSync(join(folder, 'tls_cert_chat'))
    await expect(writeSecretFiles(folder)).rejects.toThrow('tls_cert_chat: missing beside other certificates')
  })

  test('are added to a folder of an older version, whose addresses of bundled stores change on request', async () => {
    const current = Object.fromEntries(fileNames().map(name => [name, secret(name)]))
    const isAddress = (name: string) => /^(mongo|amqp|redis)_url_/.test(name)
    for (const [name, value] of Object.entries(current)) {
      const plain = value
        .replace(/^amqps(.*):5671$/, 'amqp$1:5672')
        .replace(/^rediss/, 'redis')
        .replace('&tls=true', '')
      if (/^(tls_|authority)/.test(name)) rmSync(join(folder, name))
      else if (isAddress(name)) {
        chmodSync(join(folder, name), 0o600)
        writeFileSync(join(folder, name), plain)
      }
    }
    const own = 'amqp://chat:word@broker.example:5672'
    writeFileSync(join(folder, 'amqp_url_chat'), own)

    expect((await writeSecretFiles(folder)).sort()).toEqual(
      Object.keys(current)
        .filter(name => /^(tls_|authority)/.test(name))
        .sort(),
    )
    const changed = secureStoredAddresses(folder)

    const addresses = Object.keys(current).filter(name => isAddress(name) && name !== 'amqp_url_chat')
    expect(changed.sort()).toEqual(addresses.sort())
    for (const name of addresses) expect(secret(name)).toBe(current[name])
    expect(secret('amqp_url_chat')).toBe(own)
    expect(secureStoredAddresses(folder)).toEqual([])
  })
})
