import { beforeEach, expect, test } from '@jest/globals'
import { listNotifications, readAllNotifications } from '@watchline/contracts/notification'
import { saveProgress } from '@watchline/contracts/playback'
import { priorityHeader } from '@watchline/contracts/priority'
import { makeStore } from '../../src/app/store.ts'
import { notificationsApi } from '../../src/features/notifications/notifications-api.ts'
import { playerApi } from '../../src/features/player/player-api.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { advance, eventually, stopTime } from '../support/manual-time.ts'

const api = createFakeApi()
const emptyPage = { notifications: [], unread_count: 0, pending_approvals: 0 }
const retryAfterS = 3
beforeEach(() => setXsrfCookie('token-of-the-test'))

/** A page that shows notifications. */
function showNotifications() {
  const store = makeStore()
  const { initiate } = notificationsApi.endpoints.listNotifications
  const subscription = store.dispatch(initiate('all'))
  const refetch = () => subscription.refetch()
  return { store, subscription, refetch, close: () => subscription.unsubscribe() }
}

const priorities = () => api.callsOf(listNotifications).map(({ headers }) => headers.get('priority'))

test('a read is a poll if the page already shows an answer', async () => {
  api.answer(listNotifications, emptyPage)
  const { subscription, refetch, close } = showNotifications()
  await subscription
  await refetch()
  expect(priorities()).toEqual([null, priorityHeader.poll])
  close()
})

test('a refused poll is repeated after Retry-After, and the earlier answer stays', async () => {
  let isOverloaded = false
  api.answer(listNotifications, () =>
    isOverloaded ? refusal('overloaded', undefined, { 'retry-after': String(retryAfterS) }) : emptyPage,
  )
  const { store, subscription, refetch, close } = showNotifications()
  await subscription
  stopTime()
  isOverloaded = true
  expect((await refetch()).error).toMatchObject({ code: 'overloaded' })
  isOverloaded = false
  await advance(retryAfterS * 1_000 - 1)
  expect(api.callsOf(listNotifications)).toHaveLength(2)
  const select = notificationsApi.endpoints.listNotifications.select('all')
  expect(select(store.getState()).data?.pages).toHaveLength(1)
  await advance(retryAfterS * 500 + 1)
  await eventually(() => expect(select(store.getState()).isSuccess).toBe(true))
  expect(priorities()).toEqual([null, priorityHeader.poll, priorityHeader.poll])
  close()
})

test('reports of the player have a low priority, but not when the page is hidden', async () => {
  api.answer(saveProgress, { success: true } as never)
  const body = { playlist_id: 'p'.repeat(24), video_id: 'v', video_index: 0, progress: 1 }
  const options = { id: 'report-1', signal: new AbortController().signal }
  await playerApi.send({ kind: 'save-progress', body }, { ...options, keepalive: false })
  await playerApi.send({ kind: 'save-progress', body }, { ...options, keepalive: true })
  expect(api.callsOf(saveProgress).map(({ headers }) => headers.get('priority'))).toEqual([priorityHeader.report, null])
})

// Last, because for some seconds after it no read of this file is a poll.
test('a read is no poll shortly after a change of the person', async () => {
  api.answer(listNotifications, emptyPage)
  api.answer(readAllNotifications, { success: true })
  const { store, subscription, close } = showNotifications()
  await subscription
  await store.dispatch(notificationsApi.endpoints.readAllNotifications.initiate())
  await eventually(() => expect(priorities()).toEqual([null, null]))
  close()
})
