import '../player/_immediate.ts'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  addComment,
  type Comment,
  deleteComment,
  editComment,
  hideComment,
  listComments,
} from '@watchline/contracts/engagement'
import { IDBFactory } from 'fake-indexeddb'
import { HttpResponse } from 'msw'
import { prepareSignOut } from '../../src/api/before-sign-out.ts'
import { gateway } from '../../src/api/gateway.ts'
import { CommentBadge } from '../../src/features/comments/comment-badge.tsx'
import { type CommentOutbox, createCommentOutbox } from '../../src/features/comments/comment-outbox.ts'
import { CommentsCard } from '../../src/features/comments/comments-card.tsx'
import { createSubscribable, type Subscribable } from '../../src/ui/hooks/subscribable.ts'
import { useSubscribable } from '../../src/ui/hooks/use-subscribable.ts'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'
import { keepUndoPossible } from '../support/undo.ts'

keepUndoPossible()
const api = createFakeApi()
const user = userEvent.setup()
const outboxes: CommentOutbox[] = []
let consoleWarn: ReturnType<typeof jest.spyOn>

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  consoleWarn = jest.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => {
  cleanup()
  closeOutboxes()
  window.sessionStorage.clear()
  consoleWarn.mockRestore()
})

function closeOutboxes() {
  for (const outbox of outboxes.splice(0)) {
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

function renderCard(videoId = 'v0', changes: { personId?: string } = {}) {
  const { personId = 'trainee1' } = changes
  const outbox = createCommentOutbox(personId, { locks: undefined, online: true, log: () => {} })
  outboxes.push(outbox)
  const clock = createSubscribable(0)
  const seek = jest.fn<(seconds: number) => void>()
  const video = createSubscribable(videoId)
  const { store } = renderScreen(<Card personId={personId} outbox={outbox} video={video} clock={clock} seek={seek} />)
  return { store, outbox, clock, seek, goTo: (next: string) => act(() => video.set(next)) }
}

interface CardProps {
  personId: string
  outbox: CommentOutbox
  video: Subscribable<string>
  clock: Subscribable<number>
  seek: (seconds: number) => void
}

function Card({ personId, outbox, video, clock, seek }: CardProps) {
  const videoProps = { playlistId: 'p1', videoId: useSubscribable(video), outbox }
  return (
    <>
      <CommentsCard {...videoProps} personId={personId} shownSecond={clock} position={() => clock.get()} seek={seek} />
      <footer>
        <CommentBadge {...videoProps} />
      </footer>
    </>
  )
}

const findField = () => screen.getByLabelText<HTMLTextAreaElement>(/^Comment at:/)
const sendButton = () => screen.getByRole<HTMLButtonElement>('button', { name: /Send|Sent/ })
const findItems = () => within(screen.getByRole('region', { name: 'Comments on this video' })).getAllByRole('listitem')
const sentBodies = () => api.callsOf(addComment).map(call => call.body as Record<string, unknown>)

/** A server that stores the comments it receives. */
const acceptComments = (...stored: Comment[]) => acceptCommentsAfter(Promise.resolve(), ...stored)

function acceptCommentsAfter(released: Promise<void>, ...stored: Comment[]) {
  api.answer(listComments, () => stored)
  api.answer(addComment, async ({ body }) => {
    await released
    const { comment, timestamp } = body as { comment: string; timestamp: number }
    const storedComment = makeComment({ comment, timestamp, user_name: 'Trainee One' })
    stored.push(storedComment)
    return { success: true as const, comment: storedComment }
  })
}

describe('the list of comments', () => {
  test('scrolls in at most 400 pixels', () => {
    // Styles are stubbed in the web tests, so this reads their source.
    const source = readFileSync('web/src/features/comments/comments.module.css', 'utf8')
    const [, rule] = /\n\.list \{([^}]*)\}/.exec(source) ?? []
    expect(rule).toMatch(/overflow-y: auto;/)
    expect(rule).toMatch(/max-height: 400px;/)
  })

  test('shows author, role, position, text and date, ordered by position', async () => {
    const roles = ['supervisor', 'manager', 'director', 'user'] as const
    const comments = roles.map((user_role, index) =>
      makeComment({ user_role, timestamp: 60 + index, user_name: `A ${user_role}` }),
    )
    api.answer(listComments, [...comments].reverse())
    const { seek } = renderCard()
    await screen.findByText('A supervisor')
    expect(findItems().map(item => item.querySelector('[data-role]')?.textContent)).toEqual([...roles])
    expect(findItems()[1]!.textContent).toMatch(/A manager.*1:01.*3h ago/)
    await user.click(within(findItems()[1]!).getByRole('button', { name: 'Go to 1:01' }))
    expect(seek).toHaveBeenCalledWith(61)
    expect(screen.getByText('4 synced')).toBeTruthy()
    expect(screen.getByRole('contentinfo').textContent).toBe('4 comments')
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('shows a review with its decision, reviewer, role and words', async () => {
    const review = {
      user_name: 'Supervisor One',
      user_role: 'supervisor',
      reviewed_at: new Date().toISOString(),
    } as const
    api.answer(listComments, [
      makeComment({ comment: 'Mind the step', review: { ...review, approved: true, comment: 'Well seen' } }),
      makeComment({
        comment: 'First!',
        review: { ...review, approved: false, comment: 'Please write about the video' },
      }),
      makeComment({ comment: 'Open' }),
    ])
    renderCard()
    await screen.findByText('Well seen')
    const [approved, rejected, open] = findItems()
    expect(approved!.textContent).toMatch(/Mind the step.*Approved.*Supervisor One.*supervisor.*Well seen/)
    expect(approved!.textContent).not.toContain('Only you see this comment.')
    expect(rejected!.textContent).toMatch(/First!.*Rejected.*Please write about the video.*Only you see this comment\./)
    expect(open!.textContent).not.toMatch(/Approved|Rejected/)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('shows markup as text and keeps line breaks', async () => {
    const text = '<img src=x onerror="alert(1)"> & <b>bold</b>\nsecond line'
    api.answer(listComments, [makeComment({ comment: text, user_name: '<i>Trainee Three</i>' })])
    renderCard()
    expect(await screen.findByText('<i>Trainee Three</i>')).toBeTruthy()
    expect(findItems()[0]!.querySelector('p')!.textContent).toBe(text)
    expect(findItems()[0]!.querySelector('img, b, i')).toBeNull()
  })

  test('invites a comment while it is empty', async () => {
    api.answer(listComments, [])
    renderCard()
    expect(await screen.findByText('No comments yet')).toBeTruthy()
    expect(screen.getByText('Share your thoughts about this video!')).toBeTruthy()
    expect(screen.getByText(/help supervisors track engagement/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('can be hidden and shown', async () => {
    api.answer(listComments, [makeComment({ comment: 'Here' })])
    renderCard()
    await screen.findByText('Here')
    await user.click(screen.getByRole('button', { name: 'Hide Comments' }))
    expect(screen.queryByRole('region', { name: 'Comments on this video' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Show Comments' }))
    expect(screen.getByRole('region', { name: 'Comments on this video' })).toBeTruthy()
  })

  test('changes with the video', async () => {
    api.answer(listComments, ({ params }) => [makeComment({ comment: `About ${params.videoId}` })])
    const { goTo } = renderCard('v0')
    expect(await screen.findByText('About v0')).toBeTruthy()
    fireEvent.change(findField(), { target: { value: 'Of the first' } })
    goTo('v1')
    expect(findField().value).toBe('')
    expect(await screen.findByText('About v1')).toBeTruthy()
    expect(screen.queryByText('About v0')).toBeNull()
  })

  test('is empty after a failure, which is logged, and can be loaded again', async () => {
    api.refuse(listComments, 'unavailable')
    renderCard()
    expect(await screen.findByText(/Couldn’t load the comments/)).toBeTruthy()
    expect(consoleWarn).toHaveBeenCalled()
    expect(screen.queryByText('No comments yet')).toBeNull()
    expect(screen.queryByText(/synced/)).toBeNull()
    api.answer(listComments, [makeComment({ comment: 'Back again' })])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Back again')).toBeTruthy()
  })
})

describe('a comment', () => {
  test('is sent trimmed, with the current second, and is shown until the list contains it', async () => {
    const release = Promise.withResolvers<void>()
    acceptCommentsAfter(release.promise)
    const { clock } = renderCard()
    await screen.findByText('No comments yet')
    expect(sendButton().disabled).toBe(true)
    await user.type(findField(), '   ')
    expect(sendButton().disabled).toBe(true)
    await enterText(user, findField(), 'Mind the step  ')
    act(() => clock.set(83))
    expect(screen.getByText('1:23')).toBeTruthy()
    await user.click(sendButton())
    expect(findField().value).toBe('')
    expect(await screen.findByText('Sending...')).toBeTruthy()
    expect(findItems()[0]!.textContent).toMatch(/^You.*1:23.*Sending\.\.\..*Mind the step/)
    release.resolve()
    await waitFor(() => expect(screen.getByRole('button', { name: '✓ Sent' }).hasAttribute('data-flash')).toBe(true))
    expect(sentBodies()).toEqual([
      { playlist_id: 'p1', video_id: 'v0', timestamp: 83, comment: 'Mind the step', client_id: expect.any(String) },
    ])
    expect(await screen.findByText('Trainee One')).toBeTruthy()
    expect(screen.queryByText('Sending...')).toBeNull()
    expect(findItems()).toHaveLength(1)
    await waitFor(() => expect(sendButton().hasAttribute('data-flash')).toBe(false))
    expect(screen.getByText('1 synced')).toBeTruthy()
  })

  test('sent by keyboard leaves the focus in the field, because the button becomes disabled', async () => {
    acceptComments()
    renderCard()
    await screen.findByText('No comments yet')
    await enterText(user, findField(), 'Mind the step')
    sendButton().focus()
    await user.keyboard('{Enter}')
    expect(document.activeElement).toBe(findField())
    // An unsent comment would be sent in the next test.
    await screen.findByText('1 synced')
    await waitFor(() => expect(screen.queryByText('Sending...')).toBeNull())
  })

  test('is scrolled into view at its place between the others', async () => {
    acceptComments(makeComment({ timestamp: 1 }), makeComment({ timestamp: 200 }))
    const shown: string[] = []
    const scroll = jest.spyOn(HTMLElement.prototype, 'scrollIntoView').mockImplementation(function (this: HTMLElement) {
      shown.push(this.textContent ?? '')
    })
    const { clock } = renderCard()
    await waitFor(() => expect(findItems()).toHaveLength(2))
    act(() => clock.set(100))
    await enterText(user, findField(), 'Mind the step')
    await user.click(sendButton())
    await waitFor(() => expect(findItems()).toHaveLength(3))
    expect(findItems()[1]!.textContent).toMatch(/Mind the step/)
    expect(shown).toEqual([expect.stringMatching(/Mind the step/)])
    // An unsent comment would be sent in the next test.
    await screen.findByText('3 synced')
    await waitFor(() => expect(screen.queryByText('Sending...')).toBeNull())
    scroll.mockRestore()
  })

  test('can keep the second at which its author began to write, also after a reload', async () => {
    acceptComments()
    const { clock } = renderCard()
    await screen.findByText('No comments yet')
    act(() => clock.set(31))
    await enterText(user, findField(), 'A careful')
    expect(screen.queryByRole('button', { name: /when you began/ })).toBeNull()
    act(() => clock.set(55))
    const label = () => screen.getByText(/^Comment at:/).textContent
    expect(label()).toBe('Comment at: 0:55')
    await user.click(screen.getByRole('button', { name: 'Use 0:31, when you began' }))
    expect(label()).toBe('Comment at: 0:31')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Use the current second' }))
    expect(label()).toBe('Comment at: 0:55')
    await user.click(screen.getByRole('button', { name: 'Use 0:31, when you began' }))
    cleanup()
    renderCard()
    expect(label()).toBe('Comment at: 0:31')
    await enterText(user, findField(), ' sentence')
    await user.click(sendButton())
    await waitFor(() => expect(sentBodies()).toMatchObject([{ timestamp: 31, comment: 'A careful sentence' }]))
    expect(label()).toBe('Comment at: 0:00')
  })

  test.each(['ctrlKey', 'metaKey'])('is sent by %s and Enter; Enter alone begins a line', async modifierKey => {
    acceptComments()
    renderCard()
    await screen.findByText('No comments yet')
    await user.type(findField(), 'one{Enter}two')
    expect(sentBodies()).toEqual([])
    fireEvent.keyDown(findField(), { key: 'Enter', [modifierKey]: true })
    await waitFor(() => expect(sentBodies()).toEqual([expect.objectContaining({ comment: 'one\ntwo' })]))
  })

  test('keeps its text after a refusal, and is the same comment when sent again', async () => {
    acceptComments()
    api.answer(addComment, () => refusal('unavailable'))
    renderCard()
    await screen.findByText('No comments yet')
    await enterText(user, findField(), 'Mind the step')
    await user.click(sendButton())
    expect((await screen.findByRole('alert')).textContent).toContain('Failed to add comment. Please try again.')
    expect(findField().value).toBe('Mind the step')
    await waitFor(() => expect(screen.queryByText('Sending...')).toBeNull())
    const [firstBody] = sentBodies()
    acceptComments()
    await user.click(sendButton())
    await screen.findByText('1 synced')
    expect(sentBodies().at(-1)!.client_id).toBe(firstBody!.client_id)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('has at most 2,000 characters and shows when few are left', async () => {
    acceptComments()
    renderCard()
    await screen.findByText('No comments yet')
    fireEvent.change(findField(), { target: { value: 'a'.repeat(1_799) } })
    expect(screen.queryByText(/characters/)).toBeNull()
    fireEvent.change(findField(), { target: { value: 'a'.repeat(2_000) } })
    expect(screen.getByText('0 characters left.')).toBeTruthy()
    expect(sendButton().disabled).toBe(false)
    fireEvent.change(findField(), { target: { value: 'a'.repeat(2_003) } })
    expect(screen.getByText('3 characters too many.')).toBeTruthy()
    expect(sendButton().disabled).toBe(true)
    fireEvent.keyDown(findField(), { key: 'Enter', ctrlKey: true })
    expect(sentBodies()).toEqual([])
  })

  test('is restored as a draft after a reload, for its own video and person', async () => {
    acceptComments()
    renderCard('v0')
    await enterText(user, findField(), 'Half a thou')
    cleanup()
    renderCard('v1')
    expect(findField().value).toBe('')
    cleanup()
    renderCard('v0', { personId: 'trainee2' })
    expect(findField().value).toBe('')
    cleanup()
    renderCard('v0')
    expect(findField().value).toBe('Half a thou')
  })
})

describe('replies', () => {
  test('stand under their comment with name and role, and count', async () => {
    const reply = makeComment({ comment: 'Behind the stairs', user_name: 'Supervisor One', user_role: 'supervisor' })
    api.answer(listComments, [makeComment({ comment: 'Where?', user_name: 'Trainee One', replies: [reply] })])
    renderCard()
    await screen.findByText('Behind the stairs')
    const replies = within(screen.getByRole('list', { name: /^Replies to Trainee One/ }))
    expect(replies.getByRole('listitem').textContent).toMatch(/Supervisor One.*supervisor.*Behind the stairs/)
    expect(findItems()[0]!.textContent).toContain('1 reply')
    expect(screen.getByRole('contentinfo').textContent).toBe('2 comments')
    expect(screen.queryByRole('button', { name: /^Reply/ })).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  const question = () => makeComment({ comment: 'Where?', user_name: 'Trainee One', timestamp: 61, may_reply: true })

  async function writeReply(text: string) {
    await user.click(await screen.findByRole('button', { name: 'Reply to Trainee One at 1:01' }))
    await enterText(user, screen.getByLabelText('Your reply to Trainee One'), text)
    await user.click(screen.getByRole('button', { name: 'Send reply' }))
  }

  test('without a network wait under their comment, and arrive once when it is back', async () => {
    const comment = question()
    api.answer(listComments, () => [comment])
    api.cut(addComment)
    const { outbox } = renderCard()
    await writeReply(' Behind the stairs ')
    const replies = within(await screen.findByRole('list', { name: /^Replies to Trainee One/ }))
    expect(replies.getByRole('listitem').textContent).toMatch(/^You.*Behind the stairs/)
    await replies.findByText(/Kept on this device/)
    expect(screen.queryByLabelText('Your reply to Trainee One')).toBeNull()
    expect(screen.getByRole('contentinfo').textContent).toBe('2 comments')
    expect(await findAccessibilityFaults()).toEqual([])
    api.answer(addComment, ({ body }) => {
      const reply = makeComment({ comment: (body as { comment: string }).comment })
      comment.replies = [reply]
      return { success: true as const, comment: reply }
    })
    await act(() => outbox.flush())
    await waitFor(() => expect(screen.queryByText(/Kept on this device/)).toBeNull())
    expect(await screen.findAllByText('Behind the stairs')).toHaveLength(1)
    const body = sentBodies().at(-1)!
    expect(body).toEqual({
      playlist_id: 'p1',
      video_id: 'v0',
      timestamp: 61,
      reply_to: comment.id,
      comment: 'Behind the stairs',
      client_id: expect.any(String),
    })
    const [cut] = api.callsOf(addComment)
    expect(cut!.body).toMatchObject({ client_id: body.client_id })
  })

  test('are kept while they are written, although an earlier page changes or a poll fails', async () => {
    const [first, later] = [makeComment({ comment: 'First page' }), question()]
    let firstPage = [first]
    let cursor: string | undefined = 'second'
    let isFailing = false
    api.answer(listComments, ({ query }) => {
      if (query.cursor && isFailing) return refusal('unavailable')
      if (query.cursor) return [later]
      return HttpResponse.json(firstPage, { headers: cursor ? { 'x-next-cursor': cursor } : {} })
    })
    const { store } = renderCard()
    await user.click(await screen.findByRole('button', { name: 'Show more comments' }))
    await user.click(await screen.findByRole('button', { name: 'Reply to Trainee One at 1:01' }))
    await enterText(user, screen.getByLabelText('Your reply to Trainee One'), 'Behind the')
    const field = screen.getByLabelText<HTMLTextAreaElement>('Your reply to Trainee One')
    const reload = () => act(() => void store.dispatch(gateway.util.invalidateTags(['Comments'])))

    firstPage = [makeComment({ comment: 'Added before' })]
    cursor = 'third'
    reload()
    expect(await screen.findByText('Added before')).toBeTruthy()
    await waitFor(() => expect(api.callsOf(listComments).at(-1)!.query.cursor).toBe('third'))
    expect(screen.getByLabelText('Your reply to Trainee One')).toBe(field)

    isFailing = true
    reload()
    expect(await screen.findByText('Couldn’t load more comments.')).toBeTruthy()
    expect(screen.getByLabelText('Your reply to Trainee One')).toBe(field)

    isFailing = false
    cursor = undefined
    firstPage = [makeComment({ comment: 'Now the only page' })]
    reload()
    expect(await screen.findByText('Now the only page')).toBeTruthy()
    expect(screen.getByLabelText('Your reply to Trainee One')).toBe(field)
    expect(field.value).toBe('Behind the')
  })

  test('that are refused return to their field, also after a reload', async () => {
    api.answer(listComments, [question()])
    api.refuse(addComment, 'conflict')
    renderCard()
    await writeReply('Too late')
    expect(await screen.findByText('This comment takes no replies any more.')).toBeTruthy()
    expect(screen.getByLabelText<HTMLTextAreaElement>('Your reply to Trainee One').value).toBe('Too late')
    expect(findField().value).toBe('')
    cleanup()
    closeOutboxes()
    renderCard()
    const field = await screen.findByLabelText<HTMLTextAreaElement>('Your reply to Trainee One')
    expect(field.value).toBe('Too late')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByLabelText('Your reply to Trainee One')).toBeNull()
  })

  const replyField = () => screen.getByLabelText<HTMLTextAreaElement>('Your reply to Trainee One')

  test('that are refused together are joined in their field, also after a reload', async () => {
    const comment = question()
    api.answer(listComments, [comment])
    api.cut(addComment)
    const { outbox } = renderCard()
    await writeReply('Behind the stairs')
    await writeReply('Next to the lift')
    await waitFor(() => expect(screen.getAllByText(/Kept on this device/)).toHaveLength(2))
    api.refuse(addComment, 'conflict')
    await act(() => outbox.flush())
    await waitFor(() => expect(replyField().value).toBe('Next to the lift\nBehind the stairs'))
    cleanup()
    closeOutboxes()
    renderCard()
    await screen.findByLabelText('Your reply to Trainee One')
    expect(replyField().value).toBe('Next to the lift\nBehind the stairs')
  })

  test('that are refused return before a reply that is being written, also after a reload', async () => {
    const comment = question()
    api.answer(listComments, [comment])
    const release = Promise.withResolvers<void>()
    api.answer(addComment, async () => {
      await release.promise
      return refusal('unavailable')
    })
    renderCard()
    await writeReply('Behind the stairs')
    await user.click(screen.getByRole('button', { name: 'Reply to Trainee One at 1:01' }))
    await enterText(user, replyField(), 'And next to')
    release.resolve()
    expect(await screen.findByText('Failed to add your reply. Please try again.')).toBeTruthy()
    expect(replyField().value).toBe('Behind the stairs\nAnd next to')
    cleanup()
    closeOutboxes()
    renderCard()
    await screen.findByLabelText('Your reply to Trainee One')
    expect(replyField().value).toBe('Behind the stairs\nAnd next to')
  })

  test.each([{ isComposing: true }, { keyCode: 229 }])(
    'are kept by the Escape that ends a composition (%j)',
    async composing => {
      api.answer(listComments, [question()])
      renderCard()
      await user.click(await screen.findByRole('button', { name: 'Reply to Trainee One at 1:01' }))
      fireEvent.change(replyField(), { target: { value: 'にほん' } })
      fireEvent.keyDown(replyField(), { key: 'Escape', ...composing })
      expect(replyField().value).toBe('にほん')
      fireEvent.keyDown(replyField(), { key: 'Escape' })
      expect(screen.queryByLabelText('Your reply to Trainee One')).toBeNull()
    },
  )

  test('that were begun before a reload do not take the focus from a comment', async () => {
    const comment = question()
    api.answer(listComments, [comment])
    renderCard()
    await user.click(await screen.findByRole('button', { name: 'Reply to Trainee One at 1:01' }))
    await enterText(user, replyField(), 'Behind the')
    cleanup()
    closeOutboxes()
    renderCard()
    findField().focus()
    await screen.findByLabelText('Your reply to Trainee One')
    expect(document.activeElement?.id).toBe(findField().id)
  })
})

describe('comments of several pages', () => {
  test('are shown on demand, page after page', async () => {
    const [first, second, third] = [makeComment(), makeComment(), makeComment()]
    const pages: Record<string, { comment: Comment; next?: string }> = {
      '': { comment: first, next: 'second' },
      second: { comment: second, next: 'third' },
      third: { comment: third },
    }
    api.answer(listComments, ({ query }) => {
      const { comment, next } = pages[query.cursor ?? '']!
      return HttpResponse.json([comment], {
        headers: { 'x-total-count': '3', ...(next && { 'x-next-cursor': next }) },
      })
    })
    renderCard()
    await screen.findByText(first.comment)
    await user.click(await screen.findByRole('button', { name: 'Show more comments' }))
    await screen.findByText(second.comment)
    await user.click(await screen.findByRole('button', { name: 'Show more comments' }))
    await screen.findByText(third.comment)
    expect(screen.queryByRole('button', { name: 'Show more comments' })).toBeNull()
    expect(screen.getByRole('region', { name: 'Comments from number 3 on' })).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })
})

describe('own and hidden comments', () => {
  const own = () => makeComment({ comment: 'Mind teh step', may_edit: true, may_delete: true, revision: 3 })

  test('an own comment can be edited; a refusal keeps the text', async () => {
    const comment = own()
    api.answer(listComments, () => [comment])
    renderCard()
    await user.click(await screen.findByRole('button', { name: /^Edit/ }))
    const field = screen.getByLabelText<HTMLTextAreaElement>('Edit your comment')
    expect([field.value, document.activeElement]).toEqual(['Mind teh step', field])
    fireEvent.change(field, { target: { value: 'Mind the step' } })
    expect(await findAccessibilityFaults()).toEqual([])
    api.refuse(editComment, 'already_reviewed')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(/can no longer be changed/)).toBeTruthy()
    expect(field.value).toBe('Mind the step')
    api.answer(editComment, () => {
      Object.assign(comment, { comment: 'Mind the step', revision: 4, edited_at: new Date().toISOString() })
      return { success: true as const, comment }
    })
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('Mind the step')).toBeTruthy()
    expect(findItems()[0]!.textContent).toContain('edited')
    expect(api.callsOf(editComment).at(-1)).toMatchObject({
      params: { id: comment.id },
      body: { comment: 'Mind the step', revision: 3 },
    })
  })

  const editField = () => screen.getByLabelText<HTMLTextAreaElement>('Edit your comment')

  test('an edit is kept while another video is shown, and while the comments cannot be loaded', async () => {
    const comment = own()
    api.answer(listComments, ({ params }) => (params.videoId === 'v0' ? [comment] : []))
    const { goTo, store } = renderCard('v0')
    await user.click(await screen.findByRole('button', { name: /^Edit/ }))
    fireEvent.change(editField(), { target: { value: 'Mind the' } })
    goTo('v1')
    expect(await screen.findByText('No comments yet')).toBeTruthy()
    goTo('v0')
    await screen.findByLabelText('Edit your comment')
    expect(editField().value).toBe('Mind the')

    fireEvent.change(editField(), { target: { value: 'Mind the step' } })
    api.refuse(listComments, 'unavailable')
    act(() => void store.dispatch(gateway.util.invalidateTags(['Comments'])))
    expect(await screen.findByText(/Couldn’t load the comments/)).toBeTruthy()
    comment.revision = 4
    api.answer(listComments, [comment])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    await screen.findByLabelText('Edit your comment')
    expect(editField().value).toBe('Mind the step')

    // The author has not read the fourth revision, so the server must be able to refuse this one.
    api.answer(editComment, () => ({ success: true as const, comment }))
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(screen.queryByLabelText('Edit your comment')).toBeNull())
    expect(api.callsOf(editComment).map(({ body }) => body)).toEqual([{ comment: 'Mind the step', revision: 3 }])
  })

  test.each(['Save', 'Cancel'])('%s ends an edit for good', async button => {
    const comment = own()
    api.answer(listComments, [comment])
    api.answer(editComment, () => ({ success: true as const, comment }))
    renderCard()
    await user.click(await screen.findByRole('button', { name: /^Edit/ }))
    fireEvent.change(editField(), { target: { value: 'Mind the step' } })
    cleanup()
    closeOutboxes()
    renderCard()
    await screen.findByLabelText('Edit your comment')
    await user.click(screen.getByRole('button', { name: button }))
    await waitFor(() => expect(screen.queryByLabelText('Edit your comment')).toBeNull())
    cleanup()
    closeOutboxes()
    renderCard()
    expect(await screen.findByText(comment.comment)).toBeTruthy()
    expect(screen.queryByLabelText('Edit your comment')).toBeNull()
  })

  test('an own comment is deleted, and the deletion can be undone before it is sent', async () => {
    const comments = [own()]
    api.answer(listComments, () => comments)
    renderCard()
    await user.click(await screen.findByRole('button', { name: /^Delete/ }))
    expect(screen.queryByRole('button', { name: /^Edit/ })).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: /^Undo deleting the comment of/ }))
    await act(prepareSignOut)
    expect(api.callsOf(deleteComment)).toEqual([])
    api.answer(deleteComment, () => {
      comments.pop()
      return { success: true as const }
    })
    await user.click(screen.getByRole('button', { name: /^Delete/ }))
    await act(prepareSignOut)
    expect(await screen.findByText('No comments yet')).toBeTruthy()
    expect(api.callsOf(deleteComment)).toHaveLength(1)
  })

  test('a superior hides a comment, can undo that, and shows it again; others have no controls', async () => {
    const comment = makeComment({ comment: 'First!', may_hide: true })
    api.answer(listComments, () => [comment, makeComment({ comment: 'Other' })])
    api.answer(hideComment, ({ body }) => {
      const mark = { user_name: 'Supervisor One', user_role: 'supervisor', hidden_at: comment.created_at } as const
      comment.hidden = (body as { hidden: boolean }).hidden ? mark : undefined
      return { success: true as const, comment }
    })
    renderCard()
    await user.click(await screen.findByRole('button', { name: /^Hide the comment/ }))
    await user.click(screen.getByRole('button', { name: /^Undo hiding the comment/ }))
    await act(prepareSignOut)
    expect(api.callsOf(hideComment)).toEqual([])
    await user.click(screen.getByRole('button', { name: /^Hide the comment/ }))
    await act(prepareSignOut)
    expect(await screen.findByText(/Hidden by Supervisor One: the team no longer sees/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: /^Show again/ }))
    await waitFor(() => expect(screen.queryByText(/Hidden by/)).toBeNull())
    expect(within(findItems()[1]!).queryByRole('button', { name: /Edit|Delete|Hide/ })).toBeNull()
  })
})

describe('without a network', () => {
  test('comments wait visibly, and arrive once and in order when it is back', async () => {
    acceptComments()
    const { outbox } = renderCard()
    await screen.findByText('No comments yet')
    api.cut(addComment)
    for (const text of ['first', 'second']) {
      await enterText(user, findField(), text)
      await user.click(sendButton())
    }
    await waitFor(() => expect(screen.getAllByText(/Kept on this device/)).toHaveLength(2))
    expect(screen.queryByRole('alert')).toBeNull()
    const callsBefore = sentBodies().length
    acceptComments()
    await act(() => outbox.flush())
    expect(
      sentBodies()
        .slice(callsBefore)
        .map(({ comment }) => comment),
    ).toEqual(['first', 'second'])
    expect(sentBodies()[0]!.client_id).toBe(sentBodies()[callsBefore]!.client_id)
    expect(await screen.findByText('2 synced')).toBeTruthy()
    await waitFor(() => expect(screen.queryByText('Sending...')).toBeNull())
    expect(findItems()).toHaveLength(2)
  })

  test('comments survive a reload', async () => {
    acceptComments()
    api.cut(addComment)
    renderCard()
    await screen.findByText('No comments yet')
    await enterText(user, findField(), 'still here')
    await user.click(sendButton())
    await screen.findByText(/Kept on this device/)
    cleanup()
    closeOutboxes()
    const callsBefore = sentBodies().length

    api.refuse(addComment, 'unavailable')
    const { outbox } = renderCard()
    expect(await screen.findByText('still here')).toBeTruthy()
    await waitFor(() => expect(sentBodies().length).toBeGreaterThan(callsBefore))
    expect(screen.queryByRole('alert')).toBeNull()
    acceptComments()
    await act(() => outbox.flush())
    expect(await screen.findByText('1 synced')).toBeTruthy()
    expect(new Set(sentBodies().map(({ client_id }) => client_id)).size).toBe(1)
  })
})
