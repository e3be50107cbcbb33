import './_immediate.ts'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { IDBFactory } from 'fake-indexeddb'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeFailure, okAnswer } from './_answers.ts'
import { nothingToResume, prepareSession, setMedia, settleScreen } from './_session-screen.tsx'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
})
afterEach(() => {
  cleanup()
  window.sessionStorage.clear()
  setMedia(() => false)
})

const id = 'a3a7f0ba-6d0c-4c0e-9d4e-0a5a5b9f0f11'
const withCheck = (seconds: number) =>
  ({ ...okAnswer, data: { success: true, attention_check: { id, answer_within_s: seconds } } }) as never

/** A session whose reports are answered with an attention check. */
async function playWithCheck(seconds: number) {
  const session = prepareSession()
  const answers: unknown[] = []
  let until: number | undefined
  const secondsLeft = () => {
    until ??= Date.now() + seconds * 1_000
    return Math.max(0, Math.round((until - Date.now()) / 1_000))
  }
  session.server.answerWith((call, body) => {
    if (call === 'session-status') return nothingToResume
    if (call === 'track') return withCheck(secondsLeft())
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

/** The player begins once the session has the lock again. */
async function pressPlay(adapters: ReturnType<typeof prepareSession>['adapters']) {
  await userEvent.click(screen.getByRole('button', { name: /^Play/ }))
  await waitFor(() => expect(adapters.last.calls.at(-1)).toBe('play'))
  act(() => adapters.last.emit('playing'))
  await settleScreen()
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
  const { adapters } = await playWithCheck(1)
  await waitFor(() => expect(isPaused(adapters.last.calls)).toBe(true))
  screen.getByText('The video is paused until you answer. A note was made; no watched time is lost.')
  act(() => adapters.last.emit('paused'))
  await settleScreen()
  await pressPlay(adapters)
  await waitFor(() => expect(isPaused(adapters.last.calls)).toBe(true))
  act(() => adapters.last.emit('paused'))
  await settleScreen()
  await userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
  await waitFor(() => expect(adapters.last.calls.at(-1)).toBe('play'))
})

test('a late answer to a check that has ended meanwhile closes the question, and the video continues', async () => {
  const { adapters, answerWithFailure } = await playWithCheck(1)
  await waitFor(() => expect(isPaused(adapters.last.calls)).toBe(true))
  act(() => adapters.last.emit('paused'))
  await settleScreen()
  expect(screen.queryByRole('button', { name: 'I need more time' })).toBeNull()
  answerWithFailure(404)
  await userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
  await waitFor(() => expect(adapters.last.calls.at(-1)).toBe('play'))
  expect(screen.queryByRole('region', { name: 'Attention check' })).toBeNull()
})

test('a question that an earlier session has left open does not stop a new one', async () => {
  const session = prepareSession()
  session.server.answerWith(call => {
    if (call === 'session-status') return nothingToResume
    return call === 'track' ? withCheck(0) : okAnswer
  })
  await session.play()
  await waitFor(() => expect(session.server.calls()).toContain('track'))
  await settleScreen()
  expect(screen.queryByRole('region', { name: 'Attention check' })).toBeNull()
  expect(isPaused(session.adapters.last.calls)).toBe(false)
})

describe('theatre view', () => {
  const player = () => screen.getByRole('region', { name: 'Player' })

  test('ends at every refused play, the question gets the focus, and the view returns after the answer', async () => {
    const { adapters } = await playWithCheck(1)
    const question = screen.getByRole('region', { name: 'Attention check' })
    await waitFor(() => expect(isPaused(adapters.last.calls)).toBe(true))
    act(() => adapters.last.emit('paused'))
    await settleScreen()
    expect(document.activeElement).not.toBe(question)
    for (const _ of ['once', 'again']) {
      await userEvent.click(screen.getByRole('button', { name: 'Theatre view' }))
      expect(player().dataset.theatre).toBe('true')
      await pressPlay(adapters)
      await waitFor(() => expect(player().dataset.theatre).toBeUndefined())
      await waitFor(() => expect(document.activeElement).toBe(question))
      act(() => adapters.last.emit('paused'))
      await settleScreen()
    }
    await userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
    await waitFor(() => expect(player().dataset.theatre).toBe('true'))
  })

  test('of a phone in landscape returns after the answer, and has its second row below the picture until then', async () => {
    setMedia(query => query.includes('landscape') && query.includes('coarse'))
    await playWithCheck(60)
    expect(player().dataset.theatre).toBeUndefined()
    screen.getByRole('region', { name: 'More controls' })
    await userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
    await waitFor(() => expect(player().dataset.theatre).toBe('true'))
    expect(screen.queryByRole('region', { name: 'More controls' })).toBeNull()
  })
})

test('more time keeps the question and the video', async () => {
  const { answers, adapters, answerWithCheck } = await playWithCheck(60)
  answerWithCheck(600)
  await userEvent.click(screen.getByRole('button', { name: 'I need more time' }))
  await screen.findByText(/^(10m|9m \d+s) left$/)
  expect(answers).toEqual([{ id, action: 'extend' }])
  expect(isPaused(adapters.last.calls)).toBe(false)
})
