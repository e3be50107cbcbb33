import { describe, expect, test } from '@jest/globals'
import { ConfigError } from '@watchline/kit/process/config'
import { readPlaybackSessionConfig } from '../src/config.ts'

const env = {
  MONGO_URL: 'mongodb://127.0.0.1/?replicaSet=rs0',
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
  INTERNAL_SECRET: 'x'.repeat(32),
  MEDIA_SECRET: 'm'.repeat(32),
}

describe('the configuration', () => {
  test('the time zone defaults to UTC', () => {
    expect(readPlaybackSessionConfig(env).timeZone).toBe('UTC')
    expect(readPlaybackSessionConfig({ ...env, ORG_TIMEZONE: '' }).timeZone).toBe('UTC')
    expect(readPlaybackSessionConfig({ ...env, ORG_TIMEZONE: 'Asia/Kolkata' }).timeZone).toBe('Asia/Kolkata')
  })

  test('an unknown time zone stops the start with a one-line error', () => {
    const read = () => readPlaybackSessionConfig({ ...env, ORG_TIMEZONE: 'Europe/Berlim' })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(
      /^ORG_TIMEZONE: "Europe\/Berlim" was given, accepted is an IANA time zone, for instance Europe\/Berlin$/,
    )
  })

  test('the fastest credited playback is normal speed, unless another is set', () => {
    expect(readPlaybackSessionConfig(env).maxPlaybackRate).toBe(1)
    expect(readPlaybackSessionConfig({ ...env, MAX_PLAYBACK_RATE: '1.5' }).maxPlaybackRate).toBe(1.5)
    expect(() => readPlaybackSessionConfig({ ...env, MAX_PLAYBACK_RATE: '5' })).toThrow(
      'MAX_PLAYBACK_RATE: "5" was given, accepted is a number from 0.25 to 4',
    )
  })

  test('reminders come a day before and at the due date, unless other days are named', () => {
    expect(readPlaybackSessionConfig(env)).toMatchObject({ reminderDaysBefore: [1], reminderDaysAfter: [] })
    const days = { DUE_REMINDER_DAYS_BEFORE: '14, 7,1', DUE_REMINDER_DAYS_AFTER: '3' }
    const read = (changes: object) => readPlaybackSessionConfig({ ...env, ...changes })
    expect(read(days)).toMatchObject({ reminderDaysBefore: [14, 7, 1], reminderDaysAfter: [3] })
    expect(read({ DUE_REMINDER_DAYS_BEFORE: 'none' })).toMatchObject({ reminderDaysBefore: [] })
  })

  test.each(['0', '91', '1,1', '1,2,3,4,5,6', '1.5', '1,', '-1', 'one'])('no reminder comes after %j days', days => {
    expect(() => readPlaybackSessionConfig({ ...env, DUE_REMINDER_DAYS_AFTER: days })).toThrow(
      `DUE_REMINDER_DAYS_AFTER: "${days}" was given, accepted is up to five different numbers of days from 1 to 90`,
    )
  })

  test('managers are told of no task, unless days are named', () => {
    expect(readPlaybackSessionConfig(env).escalationDaysAfter).toEqual([])
    expect(readPlaybackSessionConfig({ ...env, DUE_ESCALATION_DAYS_AFTER: '' }).escalationDaysAfter).toEqual([])
    const read = (days: string) => readPlaybackSessionConfig({ ...env, DUE_ESCALATION_DAYS_AFTER: days })
    expect(read('3,10').escalationDaysAfter).toEqual([3, 10])
    expect(() => read('0')).toThrow(
      /^DUE_ESCALATION_DAYS_AFTER: "0" was given, accepted is up to five different numbers of days from 1 to 90, .*$/,
    )
  })

  test('the YouTube address defaults to the real API, which stays unused without a key', () => {
    expect(readPlaybackSessionConfig({ ...env, YOUTUBE_API_KEY: '', YOUTUBE_API_URL: '' })).toMatchObject({
      youtubeApiKey: undefined,
      youtubeApiUrl: 'https://www.googleapis.com/youtube/v3',
      youtubeCoversUrl: 'https://i.ytimg.com',
    })
    const youtubeVariables = { YOUTUBE_API_KEY: 'AIzaSy', YOUTUBE_API_URL: 'http://127.0.0.1:9099/youtube/v3/' }
    expect(readPlaybackSessionConfig({ ...env, ...youtubeVariables })).toMatchObject({
      youtubeApiKey: 'AIzaSy',
      youtubeApiUrl: 'http://127.0.0.1:9099/youtube/v3',
    })
  })

  test('an invalid address stops the start, and the error does not contain the key', () => {
    for (const YOUTUBE_API_URL of ['youtube', 'ftp://youtube', 'file:///etc/passwd'])
      expect(() => readPlaybackSessionConfig({ ...env, YOUTUBE_API_URL })).toThrow(/^YOUTUBE_API_URL: /)
    expect(() => readPlaybackSessionConfig({ ...env, YOUTUBE_API_KEY: 'two words' })).toThrow(
      /^YOUTUBE_API_KEY: \(hidden\) was given/,
    )
  })
})
