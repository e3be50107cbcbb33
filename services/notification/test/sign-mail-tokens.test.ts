import { expect, test } from '@jest/globals'
import { isRequiredMailKind, mailKind, requiredMailKinds } from '@watchline/contracts/mail'
import fc from 'fast-check'
import {
  readEnvelopeId,
  readUnsubscription,
  signEnvelopeId,
  signUnsubscription,
} from '../src/actions/sign-mail-tokens.ts'

const optionalKinds = mailKind.options.filter(kind => !isRequiredMailKind(kind))

test('a token ends one kind of mail for one person and nothing else', () => {
  fc.assert(
    fc.property(fc.constantFrom(...optionalKinds), fc.constantFrom(...mailKind.options), (kind, other) => {
      const token = signUnsubscription({ personId: 'person-1', kind }, 'key')
      expect(readUnsubscription(token, 'key')).toEqual({ personId: 'person-1', kind })
      expect(readUnsubscription(token, 'another key')).toBeUndefined()
      expect(readUnsubscription(token.replace('person-1', 'person-2'), 'key')).toBeUndefined()
      if (other !== kind) expect(readUnsubscription(token.replace(kind, other), 'key')).toBeUndefined()
    }),
  )
})

test.each(requiredMailKinds)('no token ends %s', kind => {
  expect(readUnsubscription(signUnsubscription({ personId: 'person-1', kind }, 'key'), 'key')).toBeUndefined()
})

test('an envelope id is valid only with the signature of its mail', () => {
  const signed = signEnvelopeId('mail-1', 'key')
  expect(readEnvelopeId(signed, 'key')).toBe('mail-1')
  expect(readEnvelopeId(signed, 'another key')).toBeUndefined()
  expect(readEnvelopeId(signed.replace('mail-1', 'mail-2'), 'key')).toBeUndefined()
  expect(readEnvelopeId('mail-1', 'key')).toBeUndefined()
})
