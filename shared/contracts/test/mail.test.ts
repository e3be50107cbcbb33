import { expect, test } from '@jest/globals'
import { mailKind, mailSubjects } from '@watchline/contracts/mail'
import { footerPlaceholdersOf, mailPlaceholder, mailPlaceholders } from '@watchline/contracts/mail-settings'
import { notificationKind } from '@watchline/contracts/notification'

test('every notification can be chosen for mail, but those about administrators', () => {
  const kinds = notificationKind.exclude(['administrators_changed']).options
  expect(mailKind.options).toEqual(expect.arrayContaining(kinds))
})

test('every kind of mail is in the list of one subject', () => {
  expect(Object.values(mailSubjects).flat().sort()).toEqual(mailKind.options.toSorted())
})

test('every placeholder is of a kind of mail, or of its end', () => {
  const used = new Set(mailKind.options.flatMap(kind => [...mailPlaceholders[kind], ...footerPlaceholdersOf(kind)]))
  expect([...used].sort()).toEqual(mailPlaceholder.options.toSorted())
})
