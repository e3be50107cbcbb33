import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ResponseOf } from '@watchline/contracts/operation'
import { answerMonitoringNotice, getMonitoringNotice } from '@watchline/contracts/playback'
import { NoticeGate } from '../../src/features/monitoring-notice/notice-gate.tsx'
import { OwnNoticeAnswer } from '../../src/features/monitoring-notice/own-answer.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const notice = {
  mode: 'consent',
  version: 'a39fc591fbdb8524',
  text: 'What you watch is recorded.',
  answer: null,
} as const
const agreed = { ...notice, answer: { accepted: true, answered_at: '2026-11-03T08:00:00.000Z' } }

beforeEach(() => setXsrfCookie('there'))
afterEach(cleanup)

function openGate() {
  const outcomes: string[] = []
  renderScreen(<NoticeGate onAccepted={() => outcomes.push('accepted')} onLeave={() => outcomes.push('left')} />)
  return outcomes
}

test('a person agrees to the notice before the first session, or leaves', async () => {
  api.answer(getMonitoringNotice, notice)
  api.answer(answerMonitoringNotice, agreed)
  const outcomes = openGate()
  expect(await screen.findByRole('heading', { level: 1, name: 'Before you start' })).toBeTruthy()
  expect(screen.getByText(notice.text)).toBeTruthy()
  expect(screen.getByRole('link', { name: /^Privacy/ }).getAttribute('href')).toBe('/?page=privacy')
  expect(await findAccessibilityFaults()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Not now' }))
  await user.click(screen.getByRole('button', { name: 'I do not agree' }))
  await waitFor(() => expect(outcomes).toEqual(['left', 'left']))
  await user.click(screen.getByRole('button', { name: 'I agree' }))
  await waitFor(() => expect(outcomes).toEqual(['left', 'left', 'accepted']))
  const { version } = notice
  expect(api.callsOf(answerMonitoringNotice).map(({ body }) => body)).toEqual([
    { version, accepted: false },
    { version, accepted: true },
  ])
})

test('a withdrawn agreement is named where the session was', async () => {
  api.answer(getMonitoringNotice, { ...notice, answer: { ...agreed.answer, accepted: false } })
  openGate()
  expect(await screen.findByText(/no monitored session runs\. What you have watched until then is kept\./)).toBeTruthy()
})

test('a notice that only informs asks for one answer', async () => {
  api.answer(getMonitoringNotice, { ...notice, mode: 'inform' })
  openGate()
  expect(await screen.findByRole('button', { name: 'I have read this' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'I do not agree' })).toBeNull()
})

test('the session does not start while the answer cannot be saved', async () => {
  api.answer(getMonitoringNotice, notice)
  api.refuse(answerMonitoringNotice, 'conflict', 'The notice has changed. Please read it again.')
  const outcomes = openGate()
  await user.click(await screen.findByRole('button', { name: 'I agree' }))
  expect(await screen.findByText('The notice has changed. Please read it again.')).toBeTruthy()
  expect(outcomes).toEqual([])
})

test('the answer is sent once, and the pressed button keeps the focus', async () => {
  api.answer(getMonitoringNotice, notice)
  const answer = Promise.withResolvers<ResponseOf<typeof answerMonitoringNotice>>()
  api.answer(answerMonitoringNotice, () => answer.promise)
  const outcomes = openGate()
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'I agree' })
  await user.click(button)
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'))
  expect(button.disabled).toBe(false)
  expect(document.activeElement).toBe(button)
  await user.click(screen.getByRole('button', { name: 'I do not agree' }))
  await user.click(button)
  answer.resolve(agreed)
  await waitFor(() => expect(outcomes).toEqual(['accepted']))
  expect(api.callsOf(answerMonitoringNotice)).toHaveLength(1)
})

test('the own record says in plain words what was answered, and lets the person withdraw it', async () => {
  api.answer(getMonitoringNotice, agreed)
  api.answer(answerMonitoringNotice, notice)
  renderScreen(<OwnNoticeAnswer />)
  expect((await screen.findByText(/^You agreed on/)).textContent).toMatch(/^You agreed on Nov 3, 2026, \d+:00 [AP]M\.$/)
  api.answer(getMonitoringNotice, { ...agreed, answer: { ...agreed.answer, accepted: false } })
  await user.click(screen.getByRole('button', { name: 'Withdraw' }))
  expect(await screen.findByText(/Your agreement is withdrawn/)).toBeTruthy()
  expect(await screen.findByText(/^You did not agree on/)).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Notice about monitored sessions' }))
})

test('the answer in the own record can be loaded again after a failure', async () => {
  api.refuse(getMonitoringNotice, 'unavailable')
  renderScreen(<OwnNoticeAnswer />)
  expect(await screen.findByText('Couldn’t load your answer to the notice about monitored sessions.')).toBeTruthy()
  api.answer(getMonitoringNotice, agreed)
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText(/^You agreed on/)).toBeTruthy()
})
