import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { waitFor } from '@testing-library/react'
import { getProfile, login, refreshSession, signInOptions } from '@watchline/contracts/auth'
import { changeSupervisor, listUsers } from '@watchline/contracts/organisation'
import { heartbeat } from '@watchline/contracts/playback'
import { HttpResponse } from 'msw'
import { callOperation } from '../../src/api/call-operation.ts'
import { watchUse } from '../../src/api/idle-time.ts'
import { clearResponses } from '../../src/api/response-cache.ts'
import { extendSession, onSessionEnded, send } from '../../src/api/send.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'

const api = createFakeApi()
const success = { success: true } as const

const passTime = (now: number) => void jest.spyOn(Date, 'now').mockReturnValue(now)
afterEach(() => {
  jest.restoreAllMocks()
})

describe('an expired access token', () => {
  /** Refuses the profile until the session is refreshed. */
  function expireUntilRefreshed() {
    let isRefreshed = false
    api.answer(getProfile, () => (isRefreshed ? makeUser() : refusal('token_expired')))
    api.answer(refreshSession, () => {
      isRefreshed = true
      return success
    })
  }

  test('is refreshed once for all calls, and each call is repeated', async () => {
    expireUntilRefreshed()
    const answers = await Promise.all([1, 2, 3, 4].map(() => callOperation(getProfile, {})))
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true])
    expect(api.callsOf(refreshSession)).toHaveLength(1)
  })

  test('is not refreshed if another tab has just done so', async () => {
    expireUntilRefreshed()
    window.localStorage.setItem('watchline-refreshed-at', String(Date.now() + 1_000))
    const answer = await callOperation(getProfile, {})
    expect(answer).toMatchObject({ ok: false, code: 'token_expired' })
    expect(api.callsOf(refreshSession)).toHaveLength(0)
  })

  test('is refreshed if the last refresh lies in the future, because the clock was set back', async () => {
    expireUntilRefreshed()
    window.localStorage.setItem('watchline-refreshed-at', String(Date.now() + 3_600_000))
    expect(await callOperation(getProfile, {})).toMatchObject({ ok: true })
    expect(api.callsOf(refreshSession)).toHaveLength(1)
  })

  test('is refreshed with the time since the last use, which polls do not shorten', async () => {
    expireUntilRefreshed()
    const stopWatching = watchUse(() => {})
    const openedAt = Date.now()
    try {
      passTime(openedAt + 600_000)
      await callOperation(getProfile, {})
      expect(api.callsOf(refreshSession)[0]?.body).toEqual({ idle_seconds: 600 })

      window.dispatchEvent(new Event('keydown'))
      passTime(openedAt + 620_000)
      expireUntilRefreshed()
      await callOperation(getProfile, {})
      expect(api.callsOf(refreshSession)[1]?.body).toEqual({ idle_seconds: 20 })
    } finally {
      stopWatching()
    }
  })

  test('knows the use of another tab', async () => {
    expireUntilRefreshed()
    watchUse(() => {})()
    const now = Date.now()
    passTime(now + 600_000)
    window.localStorage.setItem('watchline-used-at', String(now + 590_000))
    await callOperation(getProfile, {})
    expect(api.callsOf(refreshSession)[0]?.body).toEqual({ idle_seconds: 10 })
  })

  test('ignores a stored use in the future, because the clock was set back since', async () => {
    expireUntilRefreshed()
    watchUse(() => {})()
    const now = Date.now()
    window.localStorage.setItem('watchline-used-at', String(now + 3_600_000))
    passTime(now + 600_000)
    await callOperation(getProfile, {})
    expect(api.callsOf(refreshSession)[0]?.body).toEqual({ idle_seconds: 600 })
  })

  test('ends the session if the refresh is refused', async () => {
    let endCount = 0
    const unsubscribe = onSessionEnded(() => {
      endCount += 1
    })
    api.refuse(getProfile, 'token_expired')
    api.refuse(refreshSession, 'no_session')
    const answer = await callOperation(getProfile, {})
    unsubscribe()
    expect(answer).toMatchObject({ ok: false, status: 401, code: 'no_session' })
    expect(endCount).toBe(1)
  })
})

describe('a person who returns after a pause', () => {
  /** Opens a page, and lets a person touch it after a while. */
  function returnAfter(pauseMs: number) {
    const stopWatching = watchUse(() => void extendSession())
    passTime(Date.now() + pauseMs)
    window.dispatchEvent(new Event('pointerdown'))
    stopWatching()
  }

  test('extends the session at once, even if another tab has just renewed it', async () => {
    setXsrfCookie('there')
    api.answer(refreshSession, success)
    window.localStorage.setItem('watchline-refreshed-at', String(Date.now() + 1_000_000))
    returnAfter(300_000)
    await waitFor(() => expect(api.callsOf(refreshSession).map(({ body }) => body)).toEqual([{ idle_seconds: 0 }]))
  })

  test('extends the session after a refresh that began before and does not know of the use', async () => {
    setXsrfCookie('there')
    const firstAnswer = Promise.withResolvers<typeof success>()
    let isRefreshed = false
    api.answer(getProfile, () => (isRefreshed ? makeUser() : refusal('token_expired')))
    api.answer(refreshSession, async () => {
      const answer = await firstAnswer.promise
      isRefreshed = true
      return answer
    })
    const stopWatching = watchUse(() => void extendSession())
    passTime(Date.now() + 600_000)
    const profile = callOperation(getProfile, {})
    const sentTimes = () => api.callsOf(refreshSession).map(({ body }) => body)
    await waitFor(() => expect(sentTimes()).toEqual([{ idle_seconds: 600 }]))
    window.dispatchEvent(new Event('pointerdown'))
    stopWatching()
    firstAnswer.resolve(success)
    expect(await profile).toMatchObject({ ok: true })
    await waitFor(() => expect(sentTimes()).toEqual([{ idle_seconds: 600 }, { idle_seconds: 0 }]))
  })

  test('learns that the session has ended', async () => {
    setXsrfCookie('there')
    api.refuse(refreshSession, 'no_session')
    const ended = new Promise<void>(resolve => onSessionEnded(() => resolve()))
    returnAfter(3_600_000)
    await ended
  })

  test('a short pause extends nothing', async () => {
    api.answer(getProfile, makeUser())
    returnAfter(60_000)
    await callOperation(getProfile, {})
    expect(api.callsOf(refreshSession)).toHaveLength(0)
  })
})

describe('the anti-forgery token', () => {
  test('is fetched if missing, and sent with calls that change state', async () => {
    api.answer(signInOptions, { provider: 'Company account', development: false, setup_token_required: false })
    api.answer(heartbeat, success)
    expect(await callOperation(heartbeat, {})).toMatchObject({ ok: true })
    expect(api.callsOf(heartbeat)[0]?.headers.get('x-xsrf-token')).toBe('token-of-the-test')
    expect(api.callsOf(heartbeat)[0]?.body).toBeUndefined()
    expect(api.callsOf(heartbeat)[0]?.headers.get('content-type')).toBeNull()
    expect(api.callsOf(signInOptions)).toHaveLength(1)
  })

  test('is fetched once more after a refusal', async () => {
    setXsrfCookie('old')
    api.answer(heartbeat, ({ headers }) =>
      headers.get('x-xsrf-token') === 'token-of-the-test' ? success : refusal('csrf'),
    )
    expect(await callOperation(heartbeat, {})).toMatchObject({ ok: true })
    expect(api.callsOf(heartbeat)).toHaveLength(2)

    api.refuse(heartbeat, 'csrf')
    expect(await callOperation(heartbeat, {})).toMatchObject({ ok: false, code: 'csrf' })
    expect(api.callsOf(heartbeat)).toHaveLength(4)
  })

  test('is not sent with calls that only read', async () => {
    setXsrfCookie('there')
    api.answer(getProfile, makeUser())
    await callOperation(getProfile, {})
    expect(api.callsOf(getProfile)[0]?.headers.has('x-xsrf-token')).toBe(false)
  })
})

describe('callOperation', () => {
  test('fills in path and query, and leaves out undefined values', async () => {
    setXsrfCookie('there')
    const user = makeUser()
    api.answer(changeSupervisor, { success: true, user })
    await callOperation(changeSupervisor, { params: { id: 'some-id' }, query: { supervisor_id: '' } })
    expect(api.received[0]).toMatchObject({ params: { id: 'some-id' }, query: { supervisor_id: '' }, body: undefined })

    api.answer(listUsers, [user])
    await callOperation(listUsers, { query: { search: 'a&b', role: undefined } })
    expect(api.received[1]?.query).toEqual({ search: 'a&b' })
  })

  test('refuses an answer that breaks the contract', async () => {
    api.answer(getProfile, () => HttpResponse.json({ id: 7 }))
    const consoleError = console.error
    console.error = () => {}
    const answer = await callOperation(getProfile, {})
    console.error = consoleError
    expect(answer).toMatchObject({ ok: false, code: 'contract' })
  })
})

describe('a failure', () => {
  test('carries status, code, the server’s text and the wait', async () => {
    setXsrfCookie('there')
    api.refuse(login, 'monitoring_conflict', 'Busy elsewhere', { 'retry-after': '120' })
    expect(await callOperation(login, { body: { session_id: 'x' } })).toMatchObject({
      ok: false,
      status: 409,
      code: 'monitoring_conflict',
      detail: 'Busy elsewhere',
      message: 'Busy elsewhere',
      retryAfter: 120,
    })
  })

  test('has the generic text if the server sent none', async () => {
    api.answer(getProfile, () => new HttpResponse('<h1>Bad gateway</h1>', { status: 502 }))
    const answer = await callOperation(getProfile, {})
    expect(answer).toMatchObject({ ok: false, status: 502, message: 'Request failed with status code 502' })
    expect(answer).not.toHaveProperty('detail', expect.anything())
  })

  test('of the network is reported as such', async () => {
    api.cut(getProfile)
    expect(await callOperation(getProfile, {})).toMatchObject({ ok: false, status: 0, message: 'Network Error' })
  })

  test('of an aborted call is reported as such', async () => {
    api.answer(getProfile, makeUser())
    const controller = new AbortController()
    controller.abort()
    const answer = await callOperation(getProfile, {}, { signal: controller.signal })
    expect(answer).toMatchObject({ ok: false, status: 0, message: 'Request aborted' })
  })

  test('of a timeout names the limit', async () => {
    api.answer(getProfile, () => new Response(new ReadableStream({ start() {} })))
    expect(await send({ method: 'GET', path: '/auth/profile', timeoutMs: 20 })).toMatchObject({
      ok: false,
      failure: { status: 0, message: 'timeout of 20ms exceeded' },
    })
  })
})

describe('a read whose answer has an ETag', () => {
  const answerWith = (name: string, etag: string) => (call: { headers: Headers }) =>
    call.headers.get('if-none-match') === etag
      ? new HttpResponse(null, { status: 304, headers: { etag } })
      : HttpResponse.json(makeUser({ name }), { headers: { etag, 'x-total-count': '3' } })
  const read = async () => {
    const answer = await callOperation(getProfile, {})
    return answer.ok ? [(answer.data as { name: string }).name, answer.headers.get('x-total-count')] : answer
  }
  const sentEtags = () => api.callsOf(getProfile).map(({ headers }) => headers.get('if-none-match'))

  test('is kept in memory while the server says that it is unchanged', async () => {
    api.answer(getProfile, answerWith('One', '"1"'))
    for (let time = 0; time < 3; time += 1) expect(await read()).toEqual(['One', '3'])
    expect(sentEtags()).toEqual([null, '"1"', '"1"'])
    api.answer(getProfile, answerWith('Two', '"2"'))
    expect(await read()).toEqual(['Two', '3'])
    expect(await read()).toEqual(['Two', '3'])
    clearResponses()
    expect(await read()).toEqual(['Two', '3'])
    expect(sentEtags().slice(3)).toEqual(['"1"', '"2"', null])
  })

  test('is not kept without one, nor after a failure', async () => {
    clearResponses()
    api.answer(getProfile, answerWith('One', '"1"'))
    await read()
    api.answer(getProfile, makeUser({ name: 'Two' }))
    await read()
    await read()
    expect(sentEtags()).toEqual([null, '"1"', null])
    api.refuse(getProfile, 'unavailable')
    expect(await read()).toMatchObject({ ok: false, code: 'unavailable' })
  })
})
