import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { IDBFactory } from 'fake-indexeddb'
import { OfflinePage } from '../../src/app/offline/offline-page.tsx'
import { createMessageStorage } from '../../src/features/chat/outbox/unsent-messages.ts'
import type { CommentCall } from '../../src/features/comments/comment-outbox.ts'
import type { PlayerCall } from '../../src/features/player/player-api.ts'
import { createDatabaseStorage } from '../../src/outbox/database-storage.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  window.localStorage.clear()
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

const never = () => false

test('says what is saved on this device, of everybody who uses it', async () => {
  const reports = createDatabaseStorage<PlayerCall>('trainee1', console.warn)
  const track = { kind: 'track', body: {} } as PlayerCall
  await reports.add({ id: 'r1', at: 1, call: track }, never)
  await reports.add({ id: 'r2', at: 2, call: track }, never)
  await reports.add({ id: 'p1', at: 3, call: { kind: 'save-progress', body: {} } as PlayerCall }, never)
  await reports.add({ id: 'm1', at: 4, call: { kind: 'monitoring', body: {} } as PlayerCall }, never)
  const comments = createDatabaseStorage<CommentCall>('trainee2~comments', console.warn)
  await comments.add({ id: 'c1', at: 5, call: { kind: 'comment', body: {} } as CommentCall }, never)
  await createMessageStorage('trainee2').add(
    { id: 'n1', at: 6, call: { roomId: 'a', recipientId: 'b', chatType: 'user_supervisor', message: 'Hello' } },
    never,
  )

  render(<OfflinePage onRetry={() => {}} />)
  expect(await screen.findByText('Saved on this device, and sent when you use Watchline again:')).toBeTruthy()
  expect(screen.getAllByRole('listitem').map(item => item.textContent)).toEqual([
    '2 reports of watched time',
    '1 position in a video',
    '1 comment',
    '1 chat message',
  ])
  expect(document.title).toBe('Offline · Watchline')
  expect(await findAccessibilityFaults()).toEqual([])
  reports.close?.()
  comments.close?.()
})

test('says that nothing waits, and opens the page again at a press or when the connection is back', async () => {
  const retry = jest.fn()
  render(<OfflinePage onRetry={retry} />)
  expect(await screen.findByText(/Nothing waits to be sent/)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(retry).toHaveBeenCalledTimes(1)
  const respond = jest.spyOn(globalThis, 'fetch')
  respond.mockResolvedValueOnce(new Response('', { status: 502 })).mockResolvedValueOnce(new Response('{}'))
  act(() => void fireEvent(window, new Event('online')))
  act(() => void fireEvent(window, new Event('online')))
  await waitFor(() => expect(retry).toHaveBeenCalledTimes(2))
})

test('says when the browser does not show what is saved', async () => {
  jest.spyOn(globalThis.indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('refused', 'SecurityError')
  })
  render(<OfflinePage onRetry={() => {}} />)
  expect(await screen.findByText('This browser does not show what is saved on this device.')).toBeTruthy()
})
