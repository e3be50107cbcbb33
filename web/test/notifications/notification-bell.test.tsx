import { describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { listNotifications, readAllNotifications, readNotification } from '@watchline/contracts/notification'
import { gateway } from '../../src/api/gateway.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { aNotification, aNotificationList, aWaitingComment } from '../support/notifications.ts'
import { bellOnAPage } from './_bell.tsx'

const { api, user, box, matchMedia, show, open, bell, address, waiting, item } = bellOnAPage()

describe('the bell', () => {
  test('says how much is unread and how much waits', async () => {
    box.holds(aNotification(), aNotification({ is_read: true }), aWaitingComment())
    show()
    const button = await bell('Notifications, 2 unread, 1 waiting for you')
    expect(within(button).getByText('2')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('counts to nine', async () => {
    api.answer(listNotifications, aNotificationList([], { unread_count: 10 }))
    show()
    expect(within(await bell(/, 10 unread/)).getByText('9+')).toBeTruthy()
    cleanup()
    api.answer(listNotifications, aNotificationList([], { unread_count: 9 }))
    show()
    expect(within(await bell(/, 9 unread/)).getByText('9')).toBeTruthy()
  })

  test('shows no number when all is read', async () => {
    box.holds(aWaitingComment({ is_read: true }))
    show()
    const button = await bell('Notifications, 0 unread, 1 waiting for you')
    expect(within(button).queryByText(/^\d/)).toBeNull()
  })

  test('tells a screen reader of news, not of what was there', async () => {
    box.holds(aNotification())
    const { store } = show()
    await bell(/, 1 unread/)
    expect(screen.queryByText(/unread notifications?\./)).toBeNull()
    box.comes(aNotification())
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    expect(await screen.findByText('2 unread notifications.')).toBeTruthy()
  })

  test('opens with the keyboard in its heading, closes by Escape, and gives the keyboard back', async () => {
    box.holds(aNotification())
    await open()
    const heading = screen.getByRole('heading', { name: 'Notifications' })
    await waitFor(() => expect(document.activeElement).toBe(heading))
    await user.tab()
    expect(document.activeElement?.textContent).toBe('Mark all as read')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Notifications' })).toBeNull())
    const button = await bell()
    await waitFor(() => expect(document.activeElement).toBe(button))
    expect(button.getAttribute('aria-expanded')).toBe('false')
  })

  test('fills a phone', async () => {
    window.matchMedia = query => ({ ...matchMedia(query), matches: query.includes('max-width') })
    box.holds(aNotification())
    await open()
    const drawer = screen.getByRole('dialog', { name: 'Notifications' })
    expect(within(drawer).getByText('Video completed')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
    await user.click(within(drawer).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})

describe('the list', () => {
  test('shows what waits first, by trainee and video, then the rest, newest first', async () => {
    box.holds(
      aWaitingComment({ comment: 'The first', timestamp: 5 }),
      aNotification({ title: 'Older' }),
      aNotification({ title: 'Newer', message: 'Trainee One and 3 others completed 12 videos.', count: 12 }),
      aWaitingComment({ comment: 'Of Trainee Two', user_id: 'trainee2', user_name: 'Trainee Two' }),
      aWaitingComment({ comment: 'The second', timestamp: 65 }),
      aWaitingComment({ comment: 'Elsewhere', video_id: 'alarm', video_title: 'The alarm' }),
      aWaitingComment({ comment: 'Done', message: 'Of long ago', is_approved: true, is_read: true }),
    )
    await open()
    const groups = within(await waiting()).getAllByRole('heading', { level: 4 })
    expect(groups.map(each => each.parentElement?.textContent)).toEqual([
      'Trainee OneComment on “The alarm”',
      'Trainee One2 comments on “Fire exits”',
      'Trainee TwoComment on “Fire exits”',
    ])
    const two = groups[1]!.closest('li') as HTMLElement
    expect(within(two).getByText('The second')).toBeTruthy()
    expect(within(two).getByText('at 1:05')).toBeTruthy()
    expect(within(two).getByText('The first')).toBeTruthy()

    const rest = within(screen.getByRole('region', { name: 'Other notifications' })).getAllByRole('listitem')
    expect(rest.map(each => each.querySelector('strong')?.textContent)).toEqual(['New comment', 'Newer', 'Older'])
    expect(within(rest[0]!).getByText('Approved')).toBeTruthy()
    expect(within(rest[1]!).getByText('12 times')).toBeTruthy()
    expect(within(rest[1]!).getByText('Unread')).toBeTruthy()
    expect(within(rest[0]!).queryByText('Unread')).toBeNull()
    expect(within(rest[1]!).getByText('9m ago').closest('time')?.getAttribute('title')).toMatch(/\d{4}/)
    expect(await accessibilityFaults()).toEqual([])
  })

  test('finds what waits however old it is', async () => {
    const old = aWaitingComment({ comment: 'Of last week' })
    const counts = { unread_count: 0, pending_approvals: 1 }
    api.answer(listNotifications, ({ query }) =>
      aNotificationList(query.waiting ? [old] : [aNotification({ is_read: true })], counts),
    )
    await open()
    expect(await within(await waiting()).findByText('Of last week')).toBeTruthy()
  })

  test('goes on page by page, and puts the pages away when it is closed', async () => {
    const older = aNotification({ title: 'Older', is_read: true })
    const newer = aNotification({ title: 'Newer', is_read: true })
    api.answer(listNotifications, ({ query }) => {
      const list = aNotificationList([query.cursor ? older : newer])
      return Response.json(list, { headers: query.cursor ? {} : { 'x-next-cursor': 'second' } })
    })
    await open()
    await screen.findByText('Newer')
    await user.click(screen.getByRole('button', { name: 'Load more' }))
    expect(await screen.findByText('Older')).toBeTruthy()
    expect(screen.getAllByText(/^(Newer|Older)$/).map(each => each.textContent)).toEqual(['Newer', 'Older'])
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
    expect(api.callsOf(listNotifications).at(-1)?.query).toMatchObject({ cursor: 'second' })
    await user.click(await bell())
    await waitFor(() => expect(screen.queryByText('Newer')).toBeNull())
    await user.click(await bell())
    await screen.findByText('Newer')
    expect(screen.queryByText('Older')).toBeNull()
    expect(screen.getByRole('button', { name: 'Load more' })).toBeTruthy()
  })

  test.each([
    ['user', /your supervisor’s answers to your comments/],
    ['supervisor', /Comments of your team/],
    ['manager', /Answers to your requests/],
  ] as const)('of a %s without any says what it is for', async (role, words) => {
    await open(role)
    expect(await screen.findByText('No notifications yet')).toBeTruthy()
    expect(screen.getByText(words)).toBeTruthy()
  })

  test('that fails keeps what was there, marked as old, and is tried again', async () => {
    box.holds(aNotification({ title: 'Known' }))
    const { store } = await open()
    await screen.findByText('Known')
    api.refuse(listNotifications, 'unavailable')
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    expect(await screen.findByText('The notifications could not be loaded. Please try again.')).toBeTruthy()
    expect(screen.getByText('Below is the last data that could be loaded.')).toBeTruthy()
    expect(screen.getByText('Known')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
    box.answer()
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    await waitFor(() => expect(screen.queryByText(/could not be loaded/)).toBeNull())
  })

  test('that never came says only that', async () => {
    api.refuse(listNotifications, 'unavailable')
    show()
    await user.click(await bell('Notifications'))
    expect(await screen.findByText('The notifications could not be loaded. Please try again.')).toBeTruthy()
    expect(screen.queryByText(/last data that could be loaded|last known/)).toBeNull()
    expect(screen.queryByText('No notifications yet')).toBeNull()
  })
})

describe('opening a notification', () => {
  test('leads to the player at the second and reads it at once', async () => {
    const told = aNotification({ title: 'A note', timestamp: 75.4 })
    box.holds(told, aNotification())
    let answer = () => {}
    api.answer(readNotification, async () => {
      await new Promise<void>(resolve => {
        answer = resolve
      })
      box.change(({ id }) => id === told.id, { is_read: true })
      return { success: true as const }
    })
    await open()
    await user.click(within(await item('A note')).getByRole('link', { name: 'Open: A note' }))
    expect(address()).toBe('/dashboard?playlist_id=safety&video_id=exits&t=75&action=view')
    expect(await bell(/, 1 unread/)).toBeTruthy()
    expect(screen.queryByRole('heading', { name: 'Notifications' })).toBeNull()
    answer()
    await waitFor(() => expect(api.callsOf(listNotifications).length).toBeGreaterThanOrEqual(2))
    expect(await bell(/, 1 unread/)).toBeTruthy()
    expect(api.callsOf(readNotification).map(({ params }) => params.id)).toEqual([told.id])
  })

  test('that cannot be marked is unread again', async () => {
    box.holds(aNotification({ title: 'A note' }))
    api.refuse(readNotification, 'unavailable')
    await open()
    await user.click(within(await item('A note')).getByRole('link'))
    await waitFor(() => expect(api.callsOf(readNotification)).toHaveLength(1))
    expect(await bell(/, 1 unread/)).toBeTruthy()
    expect(address()).toContain('action=view')
  })

  test('read already is not marked again', async () => {
    box.holds(aNotification({ title: 'A note', is_read: true }))
    await open()
    await user.click(within(await item('A note')).getByRole('link'))
    expect(address()).toContain('action=view')
    expect(api.callsOf(readNotification)).toHaveLength(0)
  })

  test('of a comment that waits lets one look before answering', async () => {
    box.holds(aWaitingComment())
    await open()
    await user.click(within(await waiting()).getByRole('link', { name: 'Open: Trainee One at 1:15' }))
    expect(address()).toBe('/dashboard?playlist_id=safety&video_id=exits&t=75&action=view')
  })

  test('a trainee reads the supervisor’s words in full, and is led to the dashboard by a new task', async () => {
    const words = `Look at the plan. ${'It hangs at the door. '.repeat(30)}`.trim()
    const message = `Supervisor One approved your comment at 1:15 in “Fire exits”: “${words.slice(0, 300)}…”`
    box.holds(
      aNotification({ kind: 'comment_reviewed', title: 'Comment approved', message, supervisor_comment: words }),
      aNotification({
        kind: 'task_assigned',
        title: 'New task',
        message: 'Supervisor One assigned it.',
        video_id: null,
      }),
    )
    await open('user')
    expect(await screen.findByText(words)).toBeTruthy()
    await user.click(within(await item('New task')).getByRole('link'))
    expect(address()).toBe('/dashboard')
  })

  test('words that the message says already are not said twice', async () => {
    const message = 'Supervisor One rejected your comment at 1:15 in “Fire exits”: “No.”'
    box.holds(
      aNotification({ kind: 'comment_reviewed', title: 'Comment rejected', message, supervisor_comment: 'No.' }),
    )
    await open('user')
    expect(within(await item('Comment rejected')).getAllByText(/No\./)).toHaveLength(1)
  })

  test('all can be marked as read, and only those waiting go on waiting', async () => {
    box.holds(aNotification(), aWaitingComment())
    await open()
    await user.click(screen.getByRole('button', { name: 'Mark all as read' }))
    expect(await bell('Notifications, 0 unread, 1 waiting for you')).toBeTruthy()
    expect(screen.queryByText('Unread')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Mark all as read' })).toBeNull()
    expect(document.activeElement?.textContent).toBe('Notifications')
    expect(within(await waiting()).getByRole('button', { name: /^Approve/ })).toBeTruthy()
  })

  test('all that could not be marked is unread again, and it is said', async () => {
    box.holds(aNotification())
    api.refuse(readAllNotifications, 'unavailable')
    await open()
    await user.click(screen.getByRole('button', { name: 'Mark all as read' }))
    expect(await screen.findByText('The notifications could not be marked as read. Please try again.')).toBeTruthy()
    expect(await bell(/, 1 unread/)).toBeTruthy()
  })
})
