import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { baseVariables, ConfigError, readConfig, readServiceConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'

const requiredSettings = {
  MONGO_URL: 'mongodb://127.0.0.1:1/?replicaSet=rs0',
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----\\nabc\\n-----END PUBLIC KEY-----',
  INTERNAL_SECRET: 'x'.repeat(32),
}

describe('settings', () => {
  test('come from the environment and have defaults; an empty value counts as absent', () => {
    const config = readConfig({ ...requiredSettings, LOG_LEVEL: '', PORT: '8081' }, baseVariables)
    expect(config).toMatchObject({ logLevel: 'info', port: 8081, host: '127.0.0.1', amqpUrl: undefined })
    expect(config.tokenPublicKey).toBe('-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----')
  })

  test.each([
    [{ ...requiredSettings, PORT: '99999' }, 'PORT: "99999" was given, accepted is a port from 0 to 65535'],
    [
      { ...requiredSettings, MONGO_URL: undefined },
      'MONGO_URL: nothing was given, accepted is a mongodb:// address of a replica set',
    ],
    [
      { ...requiredSettings, INTERNAL_SECRET: 'short' },
      'INTERNAL_SECRET: (hidden) was given, accepted is at least 32 characters on each line',
    ],
    [
      { ...requiredSettings, NODE_ENV: 'prod' },
      'NODE_ENV: "prod" was given, accepted is production, development or test',
    ],
  ])('that are wrong are reported in one line with their name: %#', (env, line) => {
    expect(() => readConfig(env, baseVariables)).toThrow(new ConfigError(line))
  })
})

test('a secret value stays hidden, although its name does not say that it is secret', () => {
  const list = variable('LIST', z.string().max(2), 'a short list', { isSecret: true })
  const line = 'LIST: (hidden) was given, accepted is a short list'
  expect(() => readConfig({ LIST: 'hush' }, { list })).toThrow(new ConfigError(line))
})

describe('the internal credentials of a service', () => {
  const { INTERNAL_SECRET, ...others } = requiredSettings
  const keys = { INTERNAL_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----', INTERNAL_PUBLIC_KEYS: 'chat a\\nauth b' }

  test('are its own key and the public ones of all, or the shared secret of older versions', () => {
    expect(readServiceConfig({ ...others, ...keys }, baseVariables)).toMatchObject({
      internalPublicKeys: 'chat a\nauth b',
      internalSecrets: undefined,
    })
    expect(readServiceConfig(requiredSettings, baseVariables).internalSecrets).toEqual([INTERNAL_SECRET])
  })

  test.each([
    [{}, 'INTERNAL_PRIVATE_KEY'],
    [{ INTERNAL_PRIVATE_KEY: keys.INTERNAL_PRIVATE_KEY }, 'INTERNAL_PUBLIC_KEYS'],
    [{ INTERNAL_PUBLIC_KEYS: keys.INTERNAL_PUBLIC_KEYS, INTERNAL_SECRET }, 'INTERNAL_PRIVATE_KEY'],
  ])('are an error if one is missing: %#', (env, name) => {
    expect(() => readServiceConfig({ ...others, ...env }, baseVariables)).toThrow(`${name}: nothing was given`)
  })
})

describe('settings from files', () => {
  let folder: string
  const file = (name: string, content: string) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const readError = (env: NodeJS.ProcessEnv) => {
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

  test('are read from the file in <NAME>_FILE, without the line break at the end', () => {
    const pem = '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----'
    const config = readConfig(
      {
        MONGO_URL_FILE: file('mongo', 'mongodb://somebody:secret@mongodb/?replicaSet=rs0\n'),
        TOKEN_PUBLIC_KEY_FILE: file('key', `${pem}\n`),
        INTERNAL_SECRET: requiredSettings.INTERNAL_SECRET,
        INTERNAL_SECRET_FILE: '',
      },
      baseVariables,
    )
    expect(config.mongoUrl).toBe('mongodb://somebody:secret@mongodb/?replicaSet=rs0')
    expect(config.tokenPublicKey).toBe(pem)
  })

  test('that are empty are an error, except for settings that nobody must fill in', () => {
    const empty = file('empty', '\n')
    expect(readError({ ...requiredSettings, AMQP_URL_FILE: empty })).toBe(
      `AMQP_URL: the empty file "${empty}" was given, accepted is an amqp:// address`,
    )
    const optional = { key: variable('KEY', z.string().optional(), 'a key', { mayBeEmptyFile: true }) }
    expect(readConfig({ KEY_FILE: empty }, optional).key).toBeUndefined()
    expect(readError({ ...requiredSettings, INTERNAL_SECRET: undefined, INTERNAL_SECRET_FILE: empty })).toBe(
      `INTERNAL_SECRET: the empty file "${empty}" was given, accepted is at least 32 characters on each line`,
    )
  })

  test('that are wrong are reported in one line with the file name, never with the content', () => {
    const wrong = file('wrong', 'hush')
    expect(readError({ ...requiredSettings, REDIS_URL_FILE: wrong })).toBe(
      `REDIS_URL: (hidden, from "${wrong}") was given, accepted is a redis:// address`,
    )
    expect(readError({ ...requiredSettings, INTERNAL_SECRET_FILE: wrong })).toBe(
      `INTERNAL_SECRET_FILE: "${wrong}" was given and INTERNAL_SECRET as well, accepted is one of the two`,
    )
    const missing = join(folder, 'missing')
    expect(readError({ ...requiredSettings, REDIS_URL_FILE: missing })).toBe(
      `REDIS_URL_FILE: "${missing}" was given, which cannot be read (ENOENT), accepted is a file`,
    )
  })

  test('a wrong address is shown without its password', () => {
    expect(readError({ ...requiredSettings, AMQP_URL: 'http://watchline:hush@broker' })).toBe(
      'AMQP_URL: "http://watchline:(hidden)@broker" was given, accepted is an amqp:// address',
    )
  })
})

describe('in production', () => {
  const production = {
    ...requiredSettings,
    NODE_ENV: 'production',
    MONGO_URL: 'mongodb://user:password@one.example:1,two.example:2/?replicaSet=rs0&tls=true',
    AMQP_URL: 'amqps://user:password@broker.example',
    REDIS_URL: 'rediss://user:password@redis.example:6380',
    AUTH_URL: 'https://auth:8080',
  }

  test.each([
    {},
    { MONGO_URL: 'mongodb+srv://cluster.example/' },
    { MONGO_URL: 'mongodb://one.example/?ssl=true' },
    { MONGO_URL: 'mongodb://127.0.0.1:1,localhost:2/?replicaSet=rs0' },
    { AMQP_URL: 'amqp://user:password@localhost:5672' },
    { REDIS_URL: 'redis://[::1]:6379', AUTH_URL: 'http://127.0.0.1:8081' },
  ])('addresses with TLS or of this machine are accepted: %j', change => {
    expect(() => readConfig({ ...production, ...change }, baseVariables)).not.toThrow()
  })

  test.each([
    ['MONGO_URL', 'mongodb://user:password@one.example/?replicaSet=rs0'],
    ['MONGO_URL', 'mongodb://127.0.0.1:1,two.example:2/?replicaSet=rs0'],
    ['MONGO_URL', 'mongodb://one.example/?tls=true&tlsInsecure=true'],
    ['MONGO_URL', 'mongodb://one.example/?TLS=true&tlsAllowInvalidHostnames=true'],
    ['MONGO_URL', 'mongodb+srv://cluster.example/?tls=false'],
    ['AMQP_URL', 'amqp://user:password@broker.example'],
    ['REDIS_URL', 'redis://user:password@redis.example:6379'],
    ['AUTH_URL', 'http://auth:8080'],
  ])('a plain %s is refused, unless a setting allows it: %s', (name, address) => {
    const env = { ...production, [name]: address }
    const refusal = new RegExp(`^${name}: .* accepted in production is an address with TLS.*ALLOW_PLAIN_CONNECTIONS`)
    expect(() => readConfig(env, baseVariables)).toThrow(refusal)
    expect(() => readConfig(env, baseVariables)).not.toThrow(/password/)
    expect(() => readConfig({ ...env, ALLOW_PLAIN_CONNECTIONS: 'true' }, baseVariables)).not.toThrow()
    expect(() => readConfig({ ...env, NODE_ENV: 'development' }, baseVariables)).not.toThrow()
  })
})
