import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { listOnline } from '@watchline/contracts/presence'
import { useGetSessionQuery } from '../../src/api/gateway.ts'
import { PersonStream } from '../../src/app/person-stream.tsx'
import { useOnline } from '../../src/features/presence/use-online.ts'
import { fakeApi, refusal } from '../support/fake-api.ts'
import { FakeStream } from '../support/fake-stream.ts'
import { aUser } from '../support/people.ts'
import { anOnlineSummary, anOnlineUser } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const supervisor1 = aUser({ name: 'Supervisor One', role: 'supervisor' })

beforeEach(() => {
  FakeStream.created.length = 0
  Object.assign(globalThis, { EventSource: FakeStream })
  api.refuse(getAdminProfile, 'forbidden')
  api.answer(getProfile, supervisor1)
  api.answer(listOnline, anOnlineSummary([]))
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

async function show() {
  const shown = renderScreen(
    <>
      <PersonStream />
      <Page />
    </>,
  )
  await screen.findByText('0 online')
  await waitFor(() => expect(FakeStream.created).toHaveLength(1))
  act(() => FakeStream.last.accept().sendHint({ type: 'hello', missed: false }))
  return shown
}

describe('the stream of the person', () => {
  test('brings at once what polling would bring later', async () => {
    await show()
    api.answer(listOnline, anOnlineSummary([anOnlineUser()]))
    act(() => FakeStream.last.sendHint({ type: 'presence' }))
    expect(await screen.findByText('1 online')).toBeTruthy()
    expect(api.callsOf(listOnline)).toHaveLength(2)
  })

  test('is one, also when the person’s role has changed', async () => {
    await show()
    api.answer(getProfile, { ...supervisor1, role: 'manager' })
    const before = api.callsOf(getProfile).length
    act(() => FakeStream.last.sendHint({ type: 'profile' }))
    await waitFor(() => expect(api.callsOf(getProfile).length).toBeGreaterThan(before))
    expect(FakeStream.created).toHaveLength(1)
  })

  test('ends with the session', async () => {
    await show()
    api.answer(getProfile, () => refusal('no_session'))
    act(() => FakeStream.last.sendHint({ type: 'session', what: 'signed_out' }))
    expect(await screen.findByText('Nobody')).toBeTruthy()
    expect(FakeStream.last.closed).toBe(true)
    expect(FakeStream.created).toHaveLength(1)
  })

  test('is closed when the screen goes', async () => {
    const { unmount } = await show()
    unmount()
    expect(FakeStream.last.closed).toBe(true)
  })

  test('is not there for nobody', async () => {
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
