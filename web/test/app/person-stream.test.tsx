import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { listOnline } from '@watchline/contracts/presence'
import { useGetSessionQuery } from '../../src/api/gateway.ts'
import { PersonStream } from '../../src/app/person-stream.tsx'
import { useOnline } from '../../src/features/presence/use-online.ts'
import { createFakeApi, refusal } from '../support/fake-api.ts'
import { FakeStream } from '../support/fake-stream.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makeOnlineUser } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })

beforeEach(() => {
  FakeStream.created.length = 0
  Object.assign(globalThis, { EventSource: FakeStream })
  api.refuse(getAdminProfile, 'forbidden')
  api.answer(getProfile, supervisor1)
  api.answer(listOnline, makeOnlineSummary([]))
})
afterEach(() => {
  cleanup()
  Object.assign(globalThis, { EventSource: undefined })
})

function Page() {
  const { data } = useGetSessionQuery()
  return data ? <Board /> : <p>{data === null ? 'Nobody' : 'Asking'}</p>
}

function Board() {
  const { summary } = useOnline()
  return <p>{summary ? `${summary.total_online} online` : 'Counting'}</p>
}

async function renderStream() {
  const rendered = renderScreen(
    <>
      <PersonStream />
      <Page />
    </>,
  )
  await screen.findByText('0 online')
  await waitFor(() => expect(FakeStream.created).toHaveLength(1))
  act(() => FakeStream.last.accept().sendHint({ type: 'hello', missed: false }))
  return rendered
}

describe('the live stream of the person', () => {
  test('brings changes before the next poll', async () => {
    await renderStream()
    api.answer(listOnline, makeOnlineSummary([makeOnlineUser()]))
    act(() => FakeStream.last.sendHint({ type: 'presence' }))
    expect(await screen.findByText('1 online')).toBeTruthy()
    expect(api.callsOf(listOnline)).toHaveLength(2)
  })

  test('stays the same stream after a change of role', async () => {
    await renderStream()
    api.answer(getProfile, { ...supervisor1, role: 'manager' })
    const callsBefore = api.callsOf(getProfile).length
    act(() => FakeStream.last.sendHint({ type: 'profile' }))
    await waitFor(() => expect(api.callsOf(getProfile).length).toBeGreaterThan(callsBefore))
    expect(FakeStream.created).toHaveLength(1)
  })

  test('ends with the session', async () => {
    await renderStream()
    api.answer(getProfile, () => refusal('no_session'))
    act(() => FakeStream.last.sendHint({ type: 'session', what: 'signed_out' }))
    expect(await screen.findByText('Nobody')).toBeTruthy()
    expect(FakeStream.last.closed).toBe(true)
    expect(FakeStream.created).toHaveLength(1)
  })

  test('is closed with its component', async () => {
    const { unmount } = await renderStream()
    unmount()
    expect(FakeStream.last.closed).toBe(true)
  })

  test('is not opened without a person', async () => {
    api.refuse(getProfile, 'no_session')
    renderScreen(
      <>
        <PersonStream />
        <Page />
      </>,
    )
    expect(await screen.findByText('Nobody')).toBeTruthy()
    expect(FakeStream.created).toEqual([])
  })
})
