import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { baseVariables, ConfigError, readConfig } from '@watchline/kit/process/config'

const enough = {
  MONGO_URL: 'mongodb://127.0.0.1:1/?replicaSet=rs0',
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----\\nabc\\n-----END PUBLIC KEY-----',
  INTERNAL_SECRET: 'x'.repeat(32),
}

describe('settings', () => {
  test('come from the environment, with defaults, empty ones counting as absent', () => {
    const config = readConfig({ ...enough, LOG_LEVEL: '', PORT: '8081' }, baseVariables)
    expect(config).toMatchObject({ logLevel: 'info', port: 8081, host: '127.0.0.1', amqpUrl: undefined })
    expect(config.tokenPublicKey).toBe('-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----')
  })

  test.each([
    [{ ...enough, PORT: '99999' }, 'PORT: "99999" was given, accepted is a port from 0 to 65535'],
    [
      { ...enough, MONGO_URL: undefined },
      'MONGO_URL: nothing was given, accepted is a mongodb:// address of a replica set',
    ],
    [
      { ...enough, INTERNAL_SECRET: 'short' },
      'INTERNAL_SECRET: (hidden) was given, accepted is at least 32 characters',
    ],
    [{ ...enough, NODE_ENV: 'prod' }, 'NODE_ENV: "prod" was given, accepted is production, development or test'],
  ])('a wrong one is one line that names it: %#', (env, line) => {
    expect(() => readConfig(env, baseVariables)).toThrow(new ConfigError(line))
  })
})

describe('settings from files', () => {
  let folder: string
  const file = (name: string, content: string) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const refusal = (env: NodeJS.ProcessEnv) => {
    try {
      readConfig(env, baseVariables)
    } catch (error) {
      return (error as Error).message
    }
    return undefined
  }
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'watchline-config-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('are what <NAME>_FILE names, without the line break at the end', () => {
    const pem = '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----'
    const config = readConfig(
      {
        MONGO_URL_FILE: file('mongo', 'mongodb://somebody:secret@mongodb/?replicaSet=rs0\n'),
        TOKEN_PUBLIC_KEY_FILE: file('key', `${pem}\n`),
        INTERNAL_SECRET: enough.INTERNAL_SECRET,
        INTERNAL_SECRET_FILE: '',
      },
      baseVariables,
    )
    expect(config.mongoUrl).toBe('mongodb://somebody:secret@mongodb/?replicaSet=rs0')
    expect(config.tokenPublicKey).toBe(pem)
  })

  test('that are empty count as absent', () => {
    const empty = file('empty', '\n')
    expect(readConfig({ ...enough, AMQP_URL_FILE: empty }, baseVariables).amqpUrl).toBeUndefined()
    expect(refusal({ ...enough, INTERNAL_SECRET: undefined, INTERNAL_SECRET_FILE: empty })).toBe(
      `INTERNAL_SECRET: the empty file "${empty}" was given, accepted is at least 32 characters`,
    )
  })

  test('that are wrong are one line with the name of the file, never what it holds', () => {
    const wrong = file('wrong', 'hush')
    expect(refusal({ ...enough, REDIS_URL_FILE: wrong })).toBe(
      `REDIS_URL: (hidden, from "${wrong}") was given, accepted is a redis:// address`,
    )
    expect(refusal({ ...enough, INTERNAL_SECRET_FILE: wrong })).toBe(
      `INTERNAL_SECRET_FILE: "${wrong}" was given and INTERNAL_SECRET as well, accepted is one of the two`,
    )
    const missing = join(folder, 'missing')
    expect(refusal({ ...enough, REDIS_URL_FILE: missing })).toBe(
      `REDIS_URL_FILE: "${missing}" was given, which cannot be read (ENOENT), accepted is a file`,
    )
  })

  test('a wrong address is shown without its password', () => {
    expect(refusal({ ...enough, AMQP_URL: 'http://watchline:hush@broker' })).toBe(
      'AMQP_URL: "http://watchline:(hidden)@broker" was given, accepted is an amqp:// address',
    )
  })
})
