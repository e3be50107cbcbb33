import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { settingsProblems } from '../../src/deployment/settings.ts'
import { developmentSecrets, type Secrets } from '../../src/start/secrets.ts'
import { firstLine, startFixture, temporaryFolder } from '../_processes.ts'

const chatSettings = ({ TOKEN_PUBLIC_KEY, INTERNAL_PRIVATE_KEY, INTERNAL_PUBLIC_KEYS }: Secrets) => ({
  TOKEN_PUBLIC_KEY,
  INTERNAL_PRIVATE_KEY,
  INTERNAL_PUBLIC_KEYS,
})

describe('development secrets', () => {
  test('are created once, readable by this user only', () => {
    const folder = temporaryFolder()

    const first = developmentSecrets(folder, {})

    expect(developmentSecrets(folder, {})).toEqual(first)
    expect(developmentSecrets(temporaryFolder(), {}).CSRF_SECRET).not.toBe(first.CSRF_SECRET)
    expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['secrets.json'])
  })

  test('hold a pair of P-256 keys that belong together', () => {
    const secrets = developmentSecrets(temporaryFolder(), {})

    const privateKey = createPrivateKey(secrets.TOKEN_PRIVATE_KEY)

    expect(privateKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
    expect(createPublicKey(secrets.TOKEN_PRIVATE_KEY).export({ type: 'spki', format: 'pem' })).toBe(
      secrets.TOKEN_PUBLIC_KEY,
    )
  })

  test('are the same for several starts at once', async () => {
    const folder = temporaryFolder()

    const answers = await Promise.all([1, 2, 3, 4].map(() => firstLine(startFixture('secrets', folder))))

    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toBe(developmentSecrets(folder, {}).REFRESH_SECRET)
  })

  test('give way to the environment, and a private key brings its public one', () => {
    const folder = temporaryFolder()
    const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const TOKEN_PRIVATE_KEY = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

    const secrets = developmentSecrets(folder, { CSRF_SECRET: 'from the environment', TOKEN_PRIVATE_KEY })

    expect(secrets.CSRF_SECRET).toBe('from the environment')
    expect(secrets.TOKEN_PUBLIC_KEY).toBe(keys.publicKey.export({ type: 'spki', format: 'pem' }))
    expect(developmentSecrets(folder, {}).CSRF_SECRET).not.toBe('from the environment')
  })

  test('of an older version get the missing ones and keep the others', () => {
    const folder = temporaryFolder()
    const { COOKIE_SECRET: _, ...older } = developmentSecrets(folder, {})
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify(older))

    const current = developmentSecrets(folder, {})

    expect(current).toEqual({ ...older, COOKIE_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))).toEqual(current)
  })

  test('of a version with RSA keys and one internal secret keep their keys and get internal ones', () => {
    const folder = temporaryFolder()
    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const older = {
      TOKEN_PRIVATE_KEY: keys.privateKey,
      TOKEN_PUBLIC_KEY: keys.publicKey,
      CSRF_SECRET: 'c'.repeat(64),
      REFRESH_SECRET: 'r'.repeat(64),
      COOKIE_SECRET: 'o'.repeat(64),
    }
    const INTERNAL_SECRET = 'i'.repeat(64)
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ ...older, INTERNAL_SECRET }))

    const current = developmentSecrets(folder, {})

    expect(current).toMatchObject(older)
    expect(current).not.toHaveProperty('INTERNAL_SECRET')
    expect(settingsProblems('chat', { MONGO_URL: 'mongodb://127.0.0.1', ...chatSettings(current) })).toEqual([])
    // The previous version finds its secrets, should somebody go back.
    expect(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'))).toMatchObject({ ...older, INTERNAL_SECRET })
  })

  test('that cannot be read are an error with the file name', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'secrets.json'), '{')

    expect(() => developmentSecrets(folder, {})).toThrow(join(folder, 'secrets.json'))
  })
})
