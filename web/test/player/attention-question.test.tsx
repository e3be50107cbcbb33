import './_immediate.ts'
import { expect, test } from '@jest/globals'
import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeFailure, okAnswer } from './_answers.ts'
import { nothingToResume, prepareSession, settleScreen } from './_session-screen.tsx'

const id = 'a3a7f0ba-6d0c-4c0e-9d4e-0a5a5b9f0f11'
const withCheck = (seconds: number) =>
  ({ ...okAnswer, data: { success: true, attention_check: { id, answer_within_s: seconds } } }) as never

/** A session whose reports are answered with an attention check. */
async function playWithCheck(seconds: number) {
  const session = prepareSession()
  const answers: unknown[] = []
  session.server.answerWith((call, body) => {
    if (call === 'session-status') return nothingToResume
    if (call === 'track') return withCheck(seconds)
    if (call !== 'attention-check') return okAnswer
    answers.push(body)
    return (answers.length === 1 && refuses ? makeFailure(503) : ended) as never
  })
  let refuses = false
  let ended: unknown = { ...okAnswer, data: { success: true } }
  await session.play()
  await screen.findByRole('region', { name: 'Attention check' })
  return {
    ...session,
    answers,
    refuseOnce: () => {
      refuses = true
    },
    answerWithCheck: (left: number) => {
      ended = withCheck(left)
    },
    answerWithFailure: (status: number) => {
      ended = makeFailure(status)
    },
  }
}

const isPaused = (calls: readonly unknown[]) => calls.at(-1) === 'pause'

test('asks beside the video, sends the answer, and the question goes', async () => {
  const { answers, adapters, refuseOnce } = await playWithCheck(60)
  const question = screen.getByRole('region', { name: 'Attention check' })
  expect(screen.getByRole('region', { name: 'Player' }).contains(question)).toBe(false)
  expect(await findAccessibilityFaults()).toEqual([])
  refuseOnce()
  await userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
  await screen.findByText('Your answer could not be sent. Please try again.')
  await userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Attention check' })).toBeNull())
  expect(answers).toEqual([
    { id, action: 'answer' },
    { id, action: 'answer' },
  ])
  expect(isPaused(adapters.last.calls)).toBe(false)
})

test('without an answer in time the video pauses, again after Play, and continues after the answer', async () => {
  const { adapters } = await playWithCheck(0)
  await waitFor(() => expect(isPaused(adapters.last.calls)).toBe(true))
  screen.getByText(/^The video waits for your answer\. A note says that the time is over/)
  act(() => adapters.last.emit('paused'))
  await settleScreen()
  await userEvent.click(screen.getByRole('button', { name: /^Play/ }))
  act(() => adapters.last.emit('playing'))
  await settleScreen()
  await waitFor(() => expect(isPaused(adapters.last.calls)).toBe(true))
  act(() => adapters.last.emit('paused'))
  await settleScreen()
  await userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
  await waitFor(() => expect(adapters.last.calls.at(-1)).toBe('play'))
})

test('a late answer to a check that has ended meanwhile closes the question, and the video continues', async () => {
  const { adapters, answerWithFailure } = await playWithCheck(0)
  await waitFor(() => expect(isPaused(adapters.last.calls)).toBe(true))
  act(() => adapters.last.emit('paused'))
  await settleScreen()
  expect(screen.queryByRole('button', { name: 'I need more time' })).toBeNull()
  answerWithFailure(404)
  await userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
  await waitFor(() => expect(adapters.last.calls.at(-1)).toBe('play'))
  expect(screen.queryByRole('region', { name: 'Attention check' })).toBeNull()
})

test('more time keeps the question and the video', async () => {
  const { answers, adapters, answerWithCheck } = await playWithCheck(60)
  answerWithCheck(600)
  await userEvent.click(screen.getByRole('button', { name: 'I need more time' }))
  await screen.findByText(/^(10m|9m \d+s) left$/)
  expect(answers).toEqual([{ id, action: 'extend' }])
  expect(isPaused(adapters.last.calls)).toBe(false)
})
