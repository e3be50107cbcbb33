import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { serviceNames } from '@watchline/contracts/operation'
import { createTokenIssuer, createTokenSigner, createTokenVerifier } from '@watchline/identity/tokens'
import { createHmacSigner, type SecretList } from '@watchline/kit/core/hmac-signer'
import { createInternalCredentials } from '@watchline/kit/http/internal-credentials'
import { rotateStoredSecrets, writeSecretFiles } from '../../src/deployment/secret-files.ts'
import type { RotationStep } from '../../src/deployment/secret-rotation.ts'
import { developmentSecrets } from '../../src/start/secrets.ts'
import { temporaryFolder } from '../_processes.ts'

let folder: string
beforeEach(() => {
  folder = join(temporaryFolder(), 'secrets')
  writeSecretFiles(folder)
})

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
  test('changes every secret so that neighbouring steps accept what the other signs', () => {
    const first = createProcesses()
    rotate('next')
    const next = createProcesses()
    rotate('switch')
    const switched = createProcesses()
    rotate('finish')
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

  test('leaves the files of a new folder, readable as before', () => {
    const names = readdirSync(folder).sort()
    for (const step of ['next', 'switch', 'finish'] as const) rotate(step)
    expect(readdirSync(folder).sort()).toEqual(names)
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o444)
  })

  test('may be of one secret', () => {
    const before = secret('csrf_secret')
    expect(rotate('next', 'refresh_secret').sort()).toEqual(['refresh_secret', 'refresh_secret_next'])
    expect(secret('csrf_secret')).toBe(before)
    expect(() => rotate('next', 'mongo_keyfile')).toThrow('mongo_keyfile cannot be rotated here')
  })

  test('refuses a step out of order and changes nothing', () => {
    expect(() => rotate('switch')).toThrow('token_private_key has no next value')
    rotate('next')
    const before = secret('csrf_secret')
    expect(() => rotate('next')).toThrow('token_private_key has a next value already')
    expect(() => rotate('finish')).toThrow('token_private_key has a next value already')
    expect(secret('csrf_secret')).toBe(before)
  })

  test('works in the secrets of a development instance, also of an older version', () => {
    const dataDir = temporaryFolder()
    developmentSecrets(dataDir, {})
    const file = join(dataDir, 'secrets.json')
    const INTERNAL_SECRET = 'i'.repeat(64)
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), INTERNAL_SECRET }))
    const before = developmentSecrets(dataDir, {})

    rotateStoredSecrets(file, 'next')
    rotateStoredSecrets(file, 'switch')

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
