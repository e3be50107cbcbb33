import './_immediate.ts'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { conditionsOf } from '@watchline/contracts/conditions'
import { IDBFactory } from 'fake-indexeddb'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeFailure, okAnswer } from './_answers.ts'
import { makeSessionPlaylist } from './_session-driver.ts'
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
  const ended = { ...okAnswer, data: { success: true } } as never
  let respond: () => never = () => ended
  session.server.answerWith((call, body) => {
    if (call === 'session-status') return nothingToResume
    if (call === 'track') return withCheck(secondsLeft())
    if (call !== 'attention-check') return okAnswer
    answers.push(body)
    return respond()
  })
  await session.play()
  await screen.findByRole('region', { name: 'Attention check' })
  return {
    ...session,
    answers,
    failOnce: (status: number) => {
      respond = () => (answers.length === 1 ? makeFailure(status) : ended) as never
    },
    answerWithCheck: (left: number) => {
      respond = () => withCheck(left)
    },
    answerWithFailure: (status: number) => {
      respond = () => makeFailure(status) as never
    },
  }
}

const findQuestion = () => screen.queryByRole('region', { name: 'Attention check' })
const pressYes = () => userEvent.click(screen.getByRole('button', { name: 'Yes, I am watching' }))

/** The player begins once the session has the lock again. */
async function pressPlay(adapters: ReturnType<typeof prepareSession>['adapters']) {
  await userEvent.click(screen.getByRole('button', { name: /^Play/ }))
  await waitFor(() => expect(adapters.last.calls.at(-1)).toBe('play'))
  act(() => adapters.last.emit('playing'))
  await settleScreen()
}

const isPaused = (calls: readonly unknown[]) => calls.at(-1) === 'pause'

test('asks beside the video, sends the answer, and the question goes', async () => {
  const { answers, adapters } = await playWithCheck(60)
  const question = screen.getByRole('region', { name: 'Attention check' })
  expect(screen.getByRole('region', { name: 'Player' }).contains(question)).toBe(false)
  expect(await findAccessibilityFaults()).toEqual([])
  await pressYes()
  await waitFor(() => expect(findQuestion()).toBeNull())
  await waitFor(() => expect(answers).toMatchObject([{ id, action: 'answer' }]))
  expect(isPaused(adapters.last.calls)).toBe(false)
})

test.each([0, 503])('an answer that fails with %i is sent again, with the time of the press', async status => {
  const { answers, failOnce } = await playWithCheck(60)
  failOnce(status)
  await pressYes()
  await waitFor(() => expect(answers).toHaveLength(2), { timeout: 5_000 })
  expect(answers[1]).toEqual(answers[0])
  await settleScreen()
  expect(findQuestion()).toBeNull()
})

test('an answer that the server refuses for good is asked for again', async () => {
  const { answers, failOnce } = await playWithCheck(60)
  failOnce(422)
  await pressYes()
  await screen.findByText('Your answer was not accepted. Please answer again.')
  await pressYes()
  await waitFor(() => expect(answers).toHaveLength(2))
  expect(findQuestion()).toBeNull()
})

describe('after a reload', () => {
  const taskWithChecks = {
    ...makeSessionPlaylist(5, 'file'),
    conditions: { ...conditionsOf(null), attention_checks: true },
  }

  /** A session that nobody has started yet, while a check of the page before it is open. */
  async function reload(secondsLeft: number, playlist = taskWithChecks, isCut = false) {
    const session = prepareSession({ playlist })
    session.server.answerWith(call => {
      if (call === 'session-status') return nothingToResume
      if (call === 'attention-check' && isCut) return makeFailure(0)
      return call === 'open-attention-check' ? withCheck(secondsLeft) : okAnswer
    })
    session.show()
    await settleScreen()
    return session
  }

  test('an open question is shown without playback, with the time that remains', async () => {
    const { server } = await reload(40)
    await screen.findByText(/^(40|39) s left$/)
    await pressYes()
    await waitFor(() => expect(server.calls()).toContain('attention-check'))
    expect(server.calls()).not.toContain('track')
    expect(findQuestion()).toBeNull()
  })

  test('an overdue question of the page before is not shown, and tasks without checks ask nobody', async () => {
    await reload(0)
    expect(findQuestion()).toBeNull()
    cleanup()
    const { server } = await reload(40, { ...taskWithChecks, conditions: conditionsOf(null) })
    expect(server.calls()).not.toContain('open-attention-check')
  })

  test('an answer that was not sent before is sent, and the question does not return', async () => {
    const { answerWithFailure, answers, view: _, ...session } = await playWithCheck(60)
    answerWithFailure(0)
    await pressYes()
    await waitFor(() => expect(answers).toHaveLength(1))
    cleanup()
    await settleScreen()
    const { server } = await reload(40)
    expect(session.server.calls()).toContain('attention-check')
    expect(findQuestion()).toBeNull()
    await waitFor(() => expect(server.received).toContainEqual(expect.objectContaining({ body: answers[0] })))
  })

  test('a request for more time that was not sent before counts already', async () => {
    const { answerWithFailure, answers } = await playWithCheck(60)
    answerWithFailure(0)
    await userEvent.click(screen.getByRole('button', { name: 'I need more time' }))
    await waitFor(() => expect(answers).toHaveLength(1))
    cleanup()
    await settleScreen()
    await reload(40, taskWithChecks, true)
    await screen.findByText(/^9m (3|4)\ds left$/)
    expect(screen.queryByRole('button', { name: 'I need more time' })).toBeNull()
  })
})

test('without an answer in time the video pauses, again after Play, and continues after the answer', async () => {
  const { adapters } = await playWithCheck(1)
  await waitFor(() => expect(isPaused(adapters.last.calls)).toBe(true))
  screen.getByText('The video is paused until you answer. A missing answer is noted; no watched time is lost.')
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
  expect(answers).toMatchObject([{ id, action: 'extend' }])
  expect(screen.queryByRole('button', { name: 'I need more time' })).toBeNull()
  expect(isPaused(adapters.last.calls)).toBe(false)
})
