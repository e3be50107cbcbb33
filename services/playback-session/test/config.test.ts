import { describe, expect, test } from '@jest/globals'
import { ConfigError } from '@watchline/kit/config'
import { readPlaybackSessionConfig } from '../src/config.ts'

const env = {
  MONGO_URL: 'mongodb://127.0.0.1/?replicaSet=rs0',
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
  INTERNAL_SECRET: 'x'.repeat(32),
}

describe('the settings', () => {
  test('the organisation is in UTC unless it says otherwise', () => {
    expect(readPlaybackSessionConfig(env).timeZone).toBe('UTC')
    expect(readPlaybackSessionConfig({ ...env, ORG_TIMEZONE: '' }).timeZone).toBe('UTC')
    expect(readPlaybackSessionConfig({ ...env, ORG_TIMEZONE: 'Asia/Kolkata' }).timeZone).toBe('Asia/Kolkata')
  })

  test('a time zone that there is not stops the start with one line', () => {
    const read = () => readPlaybackSessionConfig({ ...env, ORG_TIMEZONE: 'Europe/Berlim' })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(
      /^ORG_TIMEZONE: "Europe\/Berlim" was given, accepted is an IANA time zone, for instance Europe\/Berlin$/,
    )
  })
})
