import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { developmentSecrets } from '../../src/start/secrets.ts'
import { firstLine, startFixture, temporaryFolder } from '../_processes.ts'

describe('development secrets', () => {
  test('are made once and kept for this user only', () => {
    const folder = temporaryFolder()

    const first = developmentSecrets(folder, {})

    expect(developmentSecrets(folder, {})).toEqual(first)
    expect(developmentSecrets(temporaryFolder(), {}).CSRF_SECRET).not.toBe(first.CSRF_SECRET)
    expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['secrets.json'])
  })

  test('hold a pair of RSA keys of 2048 bits that belong together', () => {
    const secrets = developmentSecrets(temporaryFolder(), {})

    const privateKey = createPrivateKey(secrets.TOKEN_PRIVATE_KEY)

    expect(privateKey.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect(createPublicKey(secrets.TOKEN_PRIVATE_KEY).export({ type: 'spki', format: 'pem' })).toBe(
      secrets.TOKEN_PUBLIC_KEY,
    )
  })

  test('are the same for several starts at once', async () => {
    const folder = temporaryFolder()

    const answers = await Promise.all([1, 2, 3, 4].map(() => firstLine(startFixture('secrets', folder))))

    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toBe(developmentSecrets(folder, {}).INTERNAL_SECRET)
  })

  test('give way to the environment, and a private key brings its public one', () => {
    const folder = temporaryFolder()
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const TOKEN_PRIVATE_KEY = other.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

    const secrets = developmentSecrets(folder, { CSRF_SECRET: 'mine', TOKEN_PRIVATE_KEY })

    expect(secrets.CSRF_SECRET).toBe('mine')
    expect(secrets.TOKEN_PUBLIC_KEY).toBe(other.publicKey.export({ type: 'spki', format: 'pem' }))
    expect(developmentSecrets(folder, {}).CSRF_SECRET).not.toBe('mine')
  })

  test('kept by an older version get what they lack, and keep the rest', () => {
    const folder = temporaryFolder()
    const { COOKIE_SECRET: _, ...older } = developmentSecrets(folder, {})
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify(older))

    const now = developmentSecrets(folder, {})

    expect(now).toEqual({ ...older, COOKIE_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))).toEqual(now)
  })

  test('that cannot be read are named', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'secrets.json'), '{')

    expect(() => developmentSecrets(folder, {})).toThrow(join(folder, 'secrets.json'))
  })
})
