import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { condemnsAddress, findRefusalCause, parseDeliveryReport } from '../../src/rules/delivery-report.ts'

function makeReport({ action = 'failed', status = '5.1.1', envelopeId = 'mail-1.signature' } = {}): string {
  return [
    'From: MAILER-DAEMON@example.org',
    'Content-Type: multipart/report; report-type=delivery-status;',
    '\tboundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Your mail could not be delivered.',
    '--b',
    'Content-Description: Delivery report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.example.org',
    ...(envelopeId ? [`Original-Envelope-Id: ${envelopeId}`] : []),
    '',
    'Final-Recipient: rfc822; final@example.org',
    'Original-Recipient: rfc822;Person@Example.org',
    `Action: ${action}`,
    `Status: ${status}`,
    'Diagnostic-Code: smtp; 550 5.1.1 no such mailbox,',
    '    please check the address',
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    'Original-Envelope-Id: another',
    '--b--',
  ].join('\r\n')
}

describe('a delivery report', () => {
  test('names the mail and the words of the server', () => {
    expect(parseDeliveryReport(makeReport())).toEqual({
      envelopeId: 'mail-1.signature',
      isDelivered: false,
      status: '5.1.1',
      explanation: '550 5.1.1 no such mailbox, please check the address',
    })
  })

  test.each([
    ['delivered', '2.0.0', true],
    ['relayed', '2.0.0', true],
    ['failed', '5.1.1', false],
  ])('with %s and %s', (action, status, isDelivered) => {
    expect(parseDeliveryReport(makeReport({ action, status }))).toMatchObject({ isDelivered, status })
  })

  test('of a delay, without an envelope id, or any other mail is none', () => {
    expect(parseDeliveryReport(makeReport({ action: 'delayed' }))).toBeUndefined()
    expect(parseDeliveryReport(makeReport({ envelopeId: '' }))).toBeUndefined()
    expect(parseDeliveryReport('Subject: Hello\r\n\r\nAction: failed')).toBeUndefined()
  })

  test('of any text is read without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
        expect(parseDeliveryReport(text)).toBeUndefined()
        parseDeliveryReport(makeReport().slice(0, text.length * 3) + text)
      }),
    )
  })
})

test.each([
  ['5.1.1', 'no such mailbox', true],
  ['5.1.10', 'a domain without mail', true],
  ['5.2.1', 'a disabled mailbox', true],
  ['5.4.1', 'no such mailbox at some providers', true],
  ['5.4.4', 'no such domain', true],
  ['5.0.0', 'no detail', false],
  ['5.1.8', 'the address of the sender', false],
  ['5.2.2', 'a full mailbox', false],
  ['5.6.1', 'the content', false],
  ['5.7.1', 'no permission', false],
  ['4.4.1', 'a problem for now', false],
  ['2.0.0', 'no problem', false],
])('the code %s, %s, condemns the address: %s', (status, _meaning, condemns) => {
  expect(condemnsAddress(status)).toBe(condemns)
})

test.each([
  ['550 5.1.1 no such mailbox', 'address'],
  ['550-5.1.1 The email account that you tried to reach does not exist', 'address'],
  ['550 No such user here', 'address'],
  ['550 Requested action not taken: mailbox unavailable', 'address'],
  ['551 User not local', 'address'],
  ['553 Mailbox name not allowed', 'address'],
  ["550 <person@mail.example>: recipient doesn't exist", 'address'],
  ['552 5.2.2 mailbox full', 'mail'],
  ['553 5.1.8 sender address rejected', 'mail'],
  ['550 5.7.1 not permitted', 'server'],
  ['550 5.7.26 unauthenticated sender', 'server'],
  ['554 Transaction failed', 'server'],
  ['554 no such user', 'server'],
  ['550 Administrative prohibition', 'server'],
  ['550 Sender address rejected', 'server'],
  ['550 mailbox unavailable: your network is on a blacklist', 'server'],
  ['550 relaying to this user not allowed', 'server'],
  ['550 5.0.0 refused', 'server'],
  ['550 5.0.0 User unknown', 'address'],
  ['550-5.0.0 no such mailbox', 'address'],
  ['500', 'server'],
  ['', 'server'],
])('the refusal “%s” of a recipient is about the %s', (serverReply, cause) => {
  expect(findRefusalCause(serverReply)).toBe(cause)
})
