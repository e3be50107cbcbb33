import { expect, test } from '@jest/globals'
import { readNotificationConfig } from '../src/config.ts'

const env = {
  MONGO_URL: 'mongodb://127.0.0.1:1/',
  TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
  INTERNAL_SECRET: 'a secret of the tests for internal calls',
}
const sender = { MAIL_FROM: 'watchline@example.org' }

test('without SMTP_URL no mail is configured, whatever else is set', () => {
  expect(readNotificationConfig({ ...env, ...sender, SMTP_URL: '' }).mail).toBeUndefined()
})

test('the address of the mail server is read with its password, and TLS is required except on this machine', () => {
  const read = (SMTP_URL: string) => readNotificationConfig({ ...env, ...sender, SMTP_URL }).mail!.server
  expect(read('smtps://us%40er:p%3Ass@mail.example.org')).toEqual({
    ...{ host: 'mail.example.org', port: 465, isSecure: true, allowsPlain: false, user: 'us@er', password: 'p:ss' },
  })
  expect(read('smtp://mail.example.org')).toMatchObject({ port: 587, isSecure: false, allowsPlain: false })
  expect(read('smtp://127.0.0.1:2525')).toMatchObject({ port: 2525, allowsPlain: true, user: undefined })
})

test('the rate of mails has no limit unless it is set', () => {
  const read = (MAIL_MAX_PER_MINUTE: string) =>
    readNotificationConfig({ ...env, ...sender, SMTP_URL: 'smtp://mail.example.org', MAIL_MAX_PER_MINUTE }).mail!
  expect(read('').maxPerMinute).toBeUndefined()
  expect(read('30').maxPerMinute).toBe(30)
  expect(() => read('0')).toThrow(/^MAIL_MAX_PER_MINUTE: "0"/)
})

test('a wrong setting is named, and a password is never repeated', () => {
  const smtp = { SMTP_URL: 'smtps://user:hunter2@mail.example.org' }
  expect(() => readNotificationConfig({ ...env, ...smtp })).toThrow(/^MAIL_FROM: nothing was given/)
  expect(() => readNotificationConfig({ ...env, ...smtp, MAIL_FROM: 'nobody' })).toThrow(/^MAIL_FROM: "nobody"/)
  const wrong = () => readNotificationConfig({ ...env, ...sender, SMTP_URL: 'https://user:hunter2@mail.example.org' })
  expect(wrong).toThrow(/^SMTP_URL: \(hidden\) was given/)
  const reports = { MAIL_REPORTS_URL: 'pop3://user:hunter2@mail.example.org' }
  expect(() => readNotificationConfig({ ...env, ...sender, ...smtp, ...reports })).toThrow(
    /^MAIL_REPORTS_URL: \(hidden\)/,
  )
})
