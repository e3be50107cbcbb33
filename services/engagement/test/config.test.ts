import { describe, expect, test } from '@jest/globals'
import { ConfigError } from '@watchline/kit/process/config'
import { createTestWorld, testRecordKey } from '@watchline/testing/harness'
import { readEngagementConfig } from '../src/config.ts'

const requiredSettings = async () => {
  const world = await createTestWorld()
  await world.close()
  return {
    MONGO_URL: world.config.mongoUrl,
    TOKEN_PUBLIC_KEY: world.config.tokenPublicKey,
    RECORD_PRIVATE_KEY: testRecordKey(),
    INTERNAL_SECRET: 'x'.repeat(32),
  }
}

describe('settings', () => {
  test('have defaults', async () => {
    expect(readEngagementConfig(await requiredSettings())).toMatchObject({
      playbackUrl: 'http://127.0.0.1:8082',
      maxPlaybackRate: 1,
      timeZone: 'UTC',
    })
  })

  test.each([
    ['MAX_PLAYBACK_RATE', '5'],
    ['MAX_PLAYBACK_RATE', '0'],
    ['MAX_PLAYBACK_RATE', 'fast'],
    ['ORG_TIMEZONE', 'Atlantis/Capital'],
    ['PLAYBACK_SESSION_URL', 'nowhere'],
  ])('%s=%s stops the start with one line that names the setting', async (name, value) => {
    const env = { ...(await requiredSettings()), [name]: value }
    expect(() => readEngagementConfig(env)).toThrow(ConfigError)
    expect(() => readEngagementConfig(env)).toThrow(`${name}: "${value}" was given, accepted is `)
  })
})
