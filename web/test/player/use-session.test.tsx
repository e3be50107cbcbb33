import './_immediate.ts'
import { expect, jest, test } from '@jest/globals'
import { act, renderHook } from '@testing-library/react'
import { type AdapterFactory, useSession } from '../../src/features/player/session/use-session.ts'
import { createServer, okAnswer, settleAll } from './_answers.ts'
import { createFakeAdapters } from './_fake-adapter.ts'
import { makeSessionPlaylist } from './_session-driver.ts'
import { nothingToResume } from './_session-screen.tsx'

test('an answer that arrives between the end of the screen and the end of its session is no error', async () => {
  const server = createServer()
  const status = Promise.withResolvers<typeof nothingToResume>()
  server.answerWith(call => (call === 'session-status' ? status.promise : okAnswer))
  const adapters = createFakeAdapters()
  const createAdapter = jest.fn<AdapterFactory>((provider, _host, listener) => adapters.create(provider, listener))
  const element = document.createElement('div')
  const host: { current: HTMLElement | null } = { current: element }
  const person = { id: 'trainee1', name: 'Trainee One', role: 'user' } as const
  const playlist = makeSessionPlaylist(1, 'file')
  const { unmount } = renderHook(() => useSession(host, { playlist, person, api: server.api, createAdapter }))
  await act(settleAll)
  // React empties the reference when it removes the screen, and ends the effects later.
  host.current = null
  status.resolve(nothingToResume)
  await act(settleAll)
  expect(createAdapter.mock.calls.map(([, given]) => given)).toEqual([element])
  unmount()
  expect(adapters.last.calls.at(-1)).toBe('destroy')
})
