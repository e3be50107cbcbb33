import { describe, expect, test } from '@jest/globals'
import { baseVariables, ConfigError, readConfig } from '@watchline/kit/config'

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
