import '../player/_immediate.ts'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { addComment, type Comment, listComments } from '@watchline/contracts/engagement'
import { IDBFactory } from 'fake-indexeddb'
import { CommentBadge } from '../../src/features/comments/comment-badge.tsx'
import { type CommentOutbox, createCommentOutbox } from '../../src/features/comments/comment-outbox.ts'
import { CommentsCard } from '../../src/features/comments/comments-card.tsx'
import { createSubscribable, type Subscribable } from '../../src/ui/subscribable.ts'
import { useSubscribable } from '../../src/ui/use-subscribable.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, refusal } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()
const open: CommentOutbox[] = []
let log: ReturnType<typeof jest.spyOn>

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  log = jest.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => {
  cleanup()
  closeAll()
  window.sessionStorage.clear()
  log.mockRestore()
})

function closeAll() {
  for (const outbox of open.splice(0)) {
    outbox.sendOnHide()
    outbox.close()
  }
}

let count = 0
function makeComment(changes: Partial<Comment> = {}): Comment {
  count += 1
  return {
    id: `comment-${count}`,
    comment: `Remark ${count}`,
    timestamp: count,
    user_name: `Writer ${count}`,
    user_role: 'user',
    created_at: new Date(Date.now() - 3.2 * 3_600_000).toISOString(),
    ...changes,
  }
}

function show(videoId = 'v0', changes: { personId?: string } = {}) {
  const { personId = 'trainee1' } = changes
  const outbox = createCommentOutbox(personId, { locks: undefined, online: true, log: () => {} })
  open.push(outbox)
  const clock = createSubscribable({ position: 0 })
  const seek = jest.fn<(seconds: number) => void>()
  const video = createSubscribable(videoId)
  renderScreen(<Card personId={personId} outbox={outbox} video={video} clock={clock} seek={seek} />)
  return { outbox, clock, seek, goTo: (next: string) => act(() => video.set(next)) }
}

interface CardProps {
  personId: string
  outbox: CommentOutbox
  video: Subscribable<string>
  clock: Subscribable<{ position: number }>
  seek: (seconds: number) => void
}

function Card({ personId, outbox, video, clock, seek }: CardProps) {
  const of = { playlistId: 'p1', videoId: useSubscribable(video), outbox }
  return (
    <>
      <CommentsCard {...of} personId={personId} clock={clock} position={() => clock.get().position} seek={seek} />
      <footer>
        <CommentBadge {...of} />
      </footer>
    </>
  )
}

const field = () => screen.getByLabelText<HTMLTextAreaElement>(/^Comment at:/)
const sendButton = () => screen.getByRole<HTMLButtonElement>('button', { name: /Send|Sent/ })
const items = () => within(screen.getByRole('region', { name: 'Comments on this video' })).getAllByRole('listitem')
const bodies = () => api.callsOf(addComment).map(call => call.body as Record<string, unknown>)

/** A server that stores the comments it receives. */
function listening(...stored: Comment[]) {
  api.answer(listComments, () => stored)
  api.answer(addComment, ({ body }) => {
    const { comment, timestamp } = body as { comment: string; timestamp: number }
    const added = makeComment({ comment, timestamp, user_name: 'Trainee One' })
    stored.push(added)
    return { success: true as const, comment: added }
  })
}

describe('the list', () => {
  test('shows author, role, moment, words and date, by moment', async () => {
    const roles = ['supervisor', 'manager', 'director', 'user'] as const
    const comments = roles.map((user_role, at) =>
      makeComment({ user_role, timestamp: 60 + at, user_name: `A ${user_role}` }),
    )
    api.answer(listComments, [...comments].reverse())
    const { seek } = show()
    await screen.findByText('A supervisor')
    expect(items().map(item => item.querySelector('[data-role]')?.textContent)).toEqual([...roles])
    expect(items()[1]!.textContent).toMatch(/A manager.*1:01.*3h ago/)
    await user.click(within(items()[1]!).getByRole('button', { name: 'Go to 1:01' }))
    expect(seek).toHaveBeenCalledWith(61)
    expect(screen.getByText('4 synced')).toBeTruthy()
    expect(screen.getByRole('contentinfo').textContent).toBe('4 comments')
    expect(await accessibilityFaults()).toEqual([])
  })

  test('never takes words for markup, and keeps their lines', async () => {
    const words = '<img src=x onerror="alert(1)"> & <b>bold</b>\nsecond line'
    api.answer(listComments, [makeComment({ comment: words, user_name: '<i>Trainee Three</i>' })])
    show()
    expect(await screen.findByText('<i>Trainee Three</i>')).toBeTruthy()
    expect(items()[0]!.querySelector('p')!.textContent).toBe(words)
    expect(items()[0]!.querySelector('img, b, i')).toBeNull()
  })

  test('that is empty invites', async () => {
    api.answer(listComments, [])
    show()
    expect(await screen.findByText('No comments yet')).toBeTruthy()
    expect(screen.getByText('Share your thoughts about this video!')).toBeTruthy()
    expect(screen.getByText(/help supervisors track engagement/)).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('hides and comes back', async () => {
    api.answer(listComments, [makeComment({ comment: 'Here' })])
    show()
    await screen.findByText('Here')
    await user.click(screen.getByRole('button', { name: 'Hide Comments' }))
    expect(screen.queryByRole('region', { name: 'Comments on this video' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Show Comments' }))
    expect(screen.getByRole('region', { name: 'Comments on this video' })).toBeTruthy()
  })

  test('is another one for another video', async () => {
    api.answer(listComments, ({ params }) => [makeComment({ comment: `About ${params.videoId}` })])
    const { goTo } = show('v0')
    expect(await screen.findByText('About v0')).toBeTruthy()
    fireEvent.change(field(), { target: { value: 'Of the first' } })
    goTo('v1')
    expect(field().value).toBe('')
    expect(await screen.findByText('About v1')).toBeTruthy()
    expect(screen.queryByText('About v0')).toBeNull()
  })

  test('that cannot be loaded is emptied, logged, and loaded again', async () => {
    api.refuse(listComments, 'unavailable')
    show()
    expect(await screen.findByText(/The comments could not be loaded/)).toBeTruthy()
    expect(log).toHaveBeenCalled()
    expect(screen.queryByText('No comments yet')).toBeNull()
    expect(screen.getByText('0 synced')).toBeTruthy()
    api.answer(listComments, [makeComment({ comment: 'Back again' })])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Back again')).toBeTruthy()
  })
})

describe('a comment', () => {
  test('is sent trimmed, at the second that plays, and stands there until the list has it', async () => {
    listening()
    const { clock } = show()
    await screen.findByText('No comments yet')
    expect(sendButton().disabled).toBe(true)
    await user.type(field(), '   ')
    expect(sendButton().disabled).toBe(true)
    await user.type(field(), 'Mind the step  ')
    act(() => clock.set({ position: 83.9 }))
    expect(screen.getByText('1:23')).toBeTruthy()
    await user.click(sendButton())
    expect(field().value).toBe('')
    expect(await screen.findByText('Sending...')).toBeTruthy()
    expect(items()[0]!.textContent).toMatch(/^You.*1:23.*Sending\.\.\..*Mind the step/)
    expect(await screen.findByRole('button', { name: '✓ Sent' })).toBeTruthy()
    expect(sendButton().hasAttribute('data-flash')).toBe(true)
    expect(bodies()).toEqual([
      { playlist_id: 'p1', video_id: 'v0', timestamp: 83, comment: 'Mind the step', client_id: expect.any(String) },
    ])
    expect(await screen.findByText('Trainee One')).toBeTruthy()
    expect(screen.queryByText('Sending...')).toBeNull()
    expect(items()).toHaveLength(1)
    await waitFor(() => expect(sendButton().hasAttribute('data-flash')).toBe(false))
    expect(screen.getByText('1 synced')).toBeTruthy()
  })

  test.each(['ctrlKey', 'metaKey'])('goes with %s and Enter; Enter alone makes a line', async key => {
    listening()
    show()
    await screen.findByText('No comments yet')
    await user.type(field(), 'one{Enter}two')
    expect(bodies()).toEqual([])
    fireEvent.keyDown(field(), { key: 'Enter', [key]: true })
    await waitFor(() => expect(bodies()).toEqual([expect.objectContaining({ comment: 'one\ntwo' })]))
  })

  test('that is refused says so and keeps the text; sent again it is the same comment', async () => {
    listening()
    api.answer(addComment, () => refusal('unavailable'))
    show()
    await screen.findByText('No comments yet')
    await user.type(field(), 'Mind the step')
    await user.click(sendButton())
    expect((await screen.findByRole('alert')).textContent).toContain('Failed to add comment. Please try again.')
    expect(field().value).toBe('Mind the step')
    await waitFor(() => expect(screen.queryByText('Sending...')).toBeNull())
    const [first] = bodies()
    listening()
    await user.click(sendButton())
    await screen.findByRole('button', { name: '✓ Sent' })
    expect(bodies().at(-1)!.client_id).toBe(first!.client_id)
    expect(await accessibilityFaults()).toEqual([])
  })

  test('can have 2,000 characters, and says when it comes near', async () => {
    listening()
    show()
    await screen.findByText('No comments yet')
    fireEvent.change(field(), { target: { value: 'a'.repeat(1_799) } })
    expect(screen.queryByText(/characters/)).toBeNull()
    fireEvent.change(field(), { target: { value: 'a'.repeat(2_000) } })
    expect(screen.getByText('0 characters left.')).toBeTruthy()
    expect(sendButton().disabled).toBe(false)
    fireEvent.change(field(), { target: { value: 'a'.repeat(2_003) } })
    expect(screen.getByText('3 characters too many.')).toBeTruthy()
    expect(sendButton().disabled).toBe(true)
    fireEvent.keyDown(field(), { key: 'Enter', ctrlKey: true })
    expect(bodies()).toEqual([])
  })

  test('that is being written survives a reload, for its own video and person', async () => {
    listening()
    show('v0')
    await user.type(field(), 'Half a thou')
    cleanup()
    show('v1')
    expect(field().value).toBe('')
    cleanup()
    show('v0', { personId: 'trainee2' })
    expect(field().value).toBe('')
    cleanup()
    show('v0')
    expect(field().value).toBe('Half a thou')
  })
})

describe('without a network', () => {
  test('comments wait, are shown, and arrive in order and once when it is back', async () => {
    listening()
    const { outbox } = show()
    await screen.findByText('No comments yet')
    api.cut(addComment)
    for (const words of ['first', 'second']) {
      await user.type(field(), words)
      await user.click(sendButton())
    }
    await waitFor(() => expect(screen.getAllByText(/Kept on this device/)).toHaveLength(2))
    expect(screen.queryByRole('alert')).toBeNull()
    const tried = bodies().length
    listening()
    await act(() => outbox.flush())
    expect(
      bodies()
        .slice(tried)
        .map(({ comment }) => comment),
    ).toEqual(['first', 'second'])
    expect(bodies()[0]!.client_id).toBe(bodies()[tried]!.client_id)
    expect(await screen.findByText('2 synced')).toBeTruthy()
    await waitFor(() => expect(screen.queryByText('Sending...')).toBeNull())
    expect(items()).toHaveLength(2)
  })

  test('they survive a reload', async () => {
    listening()
    api.cut(addComment)
    show()
    await screen.findByText('No comments yet')
    await user.type(field(), 'still here')
    await user.click(sendButton())
    await screen.findByText(/Kept on this device/)
    cleanup()
    closeAll()
    const tried = bodies().length

    api.refuse(addComment, 'unavailable')
    const { outbox } = show()
    expect(await screen.findByText('still here')).toBeTruthy()
    await waitFor(() => expect(bodies().length).toBeGreaterThan(tried))
    expect(screen.queryByRole('alert')).toBeNull()
    listening()
    await act(() => outbox.flush())
    expect(await screen.findByText('1 synced')).toBeTruthy()
    expect(new Set(bodies().map(({ client_id }) => client_id)).size).toBe(1)
  })
})
