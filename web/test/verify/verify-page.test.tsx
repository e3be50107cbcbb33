import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type Verification, verifyRecord } from '@watchline/contracts/records'
import { VerifyPage } from '../../src/features/verify/verify-page.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { renderPlain } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
beforeEach(() => setXsrfCookie('there'))
afterEach(cleanup)

const certificate: Verification = {
  status: 'valid',
  number: 7,
  kind: 'certificate',
  issued_at: '2026-11-03T08:00:00.000Z',
  details: {
    name: 'Trainee One',
    title: 'Fire safety',
    completed_at: '2026-11-02T08:00:00.000Z',
    credited_seconds: 3_900,
  },
}

/** Adds text, because jsdom cannot read a File. */
function makeFile(text: string): File {
  const file = new File([text], 'record-7.json', { type: 'application/json' })
  return Object.assign(file, { text: async () => text })
}

async function enterCode(code: string) {
  await user.type(screen.getByLabelText('Code on the document'), code)
  await user.click(screen.getByRole('button', { name: 'Verify' }))
}

test('a code of a genuine certificate shows what the certificate says', async () => {
  api.answer(verifyRecord, certificate)
  renderPlain(<VerifyPage />)
  await enterCode('abcde-fghjk-mnpqr-stvwx')
  await screen.findByRole('heading', { name: /Genuine/ })
  expect(screen.getByText('Certificate number 7')).toBeTruthy()
  expect(screen.getByText('Trainee One')).toBeTruthy()
  expect(screen.getByText(/^Fire safety, /)).toBeTruthy()
  expect(screen.getByText('65 min (3900 s)')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('a record of a group shows its name and the number of its members, and no person', async () => {
  const details = {
    name: null,
    group: 'Warehouse',
    members: 12,
    tasks: 14,
    credited_seconds: 3_900,
    credited_with_earlier_attempts: 10_800,
  }
  api.answer(verifyRecord, { ...certificate, kind: 'group_record', details })
  renderPlain(<VerifyPage />)
  await enterCode('abcde-fghjk-mnpqr-stvwx')
  expect(await screen.findByText('Record of a group number 7')).toBeTruthy()
  for (const text of ['Warehouse', '12 people', '14 tasks', '180 min (10800 s)'])
    expect(screen.getByText(text)).toBeTruthy()
  expect(screen.queryByText('Person')).toBeNull()
})

test.each([
  ['2999-11-02T08:00:00.000Z', 'Valid until', 'Genuine'],
  ['2026-11-02T08:00:00.000Z', 'Expired on', 'Genuine, but expired'],
])('a certificate of a completion that ends at %s says so: %s', async (valid_until, term, title) => {
  api.answer(verifyRecord, { ...certificate, details: { ...certificate.details!, valid_until } })
  renderPlain(<VerifyPage />)
  await enterCode('abcde-fghjk-mnpqr-stvwx')
  expect(await screen.findByText(term)).toBeTruthy()
  expect(screen.getByRole('heading', { name: title })).toBeTruthy()
})

test.each([
  ['replaced', 'Genuine, but not the latest'],
  ['changed', 'Changed'],
  ['removed', 'Not in the register'],
  ['unknown', 'Unknown'],
] as const)('a file that is %s gets this verdict', async (status, title) => {
  api.answer(verifyRecord, { status })
  renderPlain(<VerifyPage />)
  await user.upload(screen.getByLabelText('JSON file of the document'), makeFile('{"record":{}}'))
  await screen.findByRole('heading', { name: new RegExp(`${title}$`) })
})

test('a chosen file removes the code of an earlier document', async () => {
  api.answer(verifyRecord, certificate)
  renderPlain(<VerifyPage />)
  await enterCode('abcde-fghjk-mnpqr-stvwx')
  await screen.findByRole('heading', { name: /Genuine/ })
  api.answer(verifyRecord, { status: 'changed' })
  await user.upload(screen.getByLabelText('JSON file of the document'), makeFile('{"record":{}}'))
  await screen.findByRole('heading', { name: /Changed$/ })
  expect(screen.getByLabelText('Code on the document')).toHaveProperty('value', '')
})

test('an incomplete code and a PDF are refused with what to do', async () => {
  api.refuse(verifyRecord, 'invalid')
  renderPlain(<VerifyPage />)
  await enterCode('abc')
  await screen.findByText(/20 letters and digits/)
  await user.upload(screen.getByLabelText('JSON file of the document'), makeFile('%PDF-1.7'))
  await screen.findByText(/This is a PDF. Enter the code/)
})
