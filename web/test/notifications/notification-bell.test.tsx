import { describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { listNotifications, readAllNotifications, readNotification } from '@watchline/contracts/notification'
import { gateway } from '../../src/api/gateway.ts'
import { formatExactTime } from '../../src/ui/dates/format.ts'
import { unreadInTab } from '../../src/ui/frame/tab-status.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeNotification, makeNotificationList, makeWaitingComment } from '../support/notifications.ts'
import { setUpBellPage } from './_bell-page.tsx'

const { api, user, service, realMatchMedia, renderBell, openMenu, findBell, address, findWaitingRegion, findItem } =
  setUpBellPage()

describe('the bell', () => {
  test('names the unread and the waiting notifications', async () => {
    service.setNotifications(makeNotification(), makeNotification({ is_read: true }), makeWaitingComment())
    renderBell()
    const button = await findBell('Notifications, 2 unread, 1 to review')
    expect(unreadInTab.get()).toBe(2)
    expect(within(button).getByText('2')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('shows numbers up to nine', async () => {
    api.answer(listNotifications, makeNotificationList([], { unread_count: 10 }))
    renderBell()
    expect(within(await findBell(/, 10 unread/)).getByText('9+')).toBeTruthy()
    cleanup()
    api.answer(listNotifications, makeNotificationList([], { unread_count: 9 }))
    renderBell()
    expect(within(await findBell(/, 9 unread/)).getByText('9')).toBeTruthy()
  })

  test('shows no number when everything is read', async () => {
    service.setNotifications(makeWaitingComment({ is_read: true }))
    renderBell()
    const button = await findBell('Notifications, 0 unread, 1 to review')
    expect(within(button).queryByText(/^\d/)).toBeNull()
  })

  test('announces new notifications to a screen reader, not earlier ones', async () => {
    service.setNotifications(makeNotification())
    const { store } = renderBell()
    await findBell(/, 1 unread/)
    expect(screen.queryByText(/unread notifications?\./)).toBeNull()
    service.addNotification(makeNotification())
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    expect(await screen.findByText('2 unread notifications.')).toBeTruthy()
  })

  test('announces a notification in the same words as an earlier one', async () => {
    service.setNotifications()
    const { store } = renderBell()
    await findBell(/, 0 unread/)
    const announced: string[] = []
    const region = [...document.querySelectorAll('[role=status]')].find(({ textContent }) => textContent === '')!
    new MutationObserver(() => announced.push(region.textContent ?? '')).observe(region, {
      ...{ childList: true, characterData: true, subtree: true },
    })
    for (const count of [1, 2]) {
      service.setNotifications(makeNotification())
      store.dispatch(gateway.util.invalidateTags(['Notifications']))
      await findBell(/, 1 unread/)
      await waitFor(() => expect(announced.filter(text => text === '1 unread notification.')).toHaveLength(count))
      service.setNotifications()
      store.dispatch(gateway.util.invalidateTags(['Notifications']))
      await findBell(/, 0 unread/)
      await waitFor(() => expect(region.textContent).toBe(''), { timeout: 10_000 })
    }
  })

  test('opens with the focus on its heading, closes by Escape and returns the focus', async () => {
    service.setNotifications(makeNotification())
    await openMenu()
    const heading = screen.getByRole('heading', { name: 'Notifications' })
    await waitFor(() => expect(document.activeElement).toBe(heading))
    await user.tab()
    expect(document.activeElement?.textContent).toBe('Mark all as read')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'Notifications' })).toBeNull())
    const button = await findBell()
    await waitFor(() => expect(document.activeElement).toBe(button))
    expect(button.getAttribute('aria-expanded')).toBe('false')
  })

  test('fills the screen of a phone', async () => {
    window.matchMedia = query => ({ ...realMatchMedia(query), matches: query.includes('max-width') })
    service.setNotifications(makeNotification())
    await openMenu()
    const drawer = screen.getByRole('dialog', { name: 'Notifications' })
    expect(within(drawer).getByText('Video completed')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(within(drawer).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})

describe('the list', () => {
  test('shows waiting comments first, by trainee and video, then the rest, newest first', async () => {
    service.setNotifications(
      makeWaitingComment({ comment: 'The first', timestamp: 5 }),
      makeNotification({ title: 'Older' }),
      makeNotification({ title: 'Newer', message: 'Trainee One and 3 others completed 12 videos.', count: 12 }),
      makeWaitingComment({ comment: 'Of Trainee Two', user_id: 'trainee2', user_name: 'Trainee Two' }),
      makeWaitingComment({ comment: 'The second', timestamp: 65 }),
      makeWaitingComment({ comment: 'Elsewhere', video_id: 'alarm', video_title: 'The alarm' }),
      makeWaitingComment({ comment: 'Done', message: 'Of long ago', is_approved: true, is_read: true }),
    )
    await openMenu()
    const groups = within(await findWaitingRegion()).getAllByRole('heading', { level: 4 })
    expect(groups.map(element => element.parentElement?.textContent)).toEqual([
      'Trainee OneComment on “The alarm”',
      'Trainee One2 comments on “Fire exits”',
      'Trainee TwoComment on “Fire exits”',
    ])
    const traineeGroup = groups[1]!.closest('li') as HTMLElement
    expect(within(traineeGroup).getByText('The second')).toBeTruthy()
    expect(within(traineeGroup).getByText('at 1:05')).toBeTruthy()
    expect(within(traineeGroup).getByText('The first')).toBeTruthy()

    const otherItems = within(screen.getByRole('region', { name: 'Other notifications' })).getAllByRole('listitem')
    expect(otherItems.map(element => element.querySelector('strong')?.textContent)).toEqual([
      'New comment',
      'Newer',
      'Older',
    ])
    expect(within(otherItems[0]!).getByText('Approved')).toBeTruthy()
    expect(within(otherItems[1]!).getByText('12 times')).toBeTruthy()
    expect(within(otherItems[1]!).getByText('Unread')).toBeTruthy()
    expect(within(otherItems[0]!).queryByText('Unread')).toBeNull()
    expect(
      within(otherItems[1]!)
        .getByText(/^(9|1\d)m ago$/)
        .closest('time')
        ?.getAttribute('title'),
    ).toMatch(/\d{4}/)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('contains waiting comments of any age', async () => {
    const oldComment = makeWaitingComment({ comment: 'Of last week' })
    const counts = { unread_count: 0, pending_approvals: 1 }
    api.answer(listNotifications, ({ query }) =>
      makeNotificationList(query.waiting ? [oldComment] : [makeNotification({ is_read: true })], counts),
    )
    await openMenu()
    expect(await within(await findWaitingRegion()).findByText('Of last week')).toBeTruthy()
  })

  test('loads more pages, and starts again at the first when it is reopened', async () => {
    const older = makeNotification({ title: 'Older', is_read: true })
    const newer = makeNotification({ title: 'Newer', is_read: true })
    api.answer(listNotifications, ({ query }) => {
      const list = makeNotificationList([query.cursor ? older : newer])
      return Response.json(list, { headers: query.cursor ? {} : { 'x-next-cursor': 'second' } })
    })
    await openMenu()
    await screen.findByText('Newer')
    await user.click(screen.getByRole('button', { name: 'Load more' }))
    expect(await screen.findByText('Older')).toBeTruthy()
    expect(screen.getAllByText(/^(Newer|Older)$/).map(element => element.textContent)).toEqual(['Newer', 'Older'])
    expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull()
    expect(api.callsOf(listNotifications).at(-1)?.query).toMatchObject({ cursor: 'second' })
    await user.click(await findBell())
    await waitFor(() => expect(screen.queryByText('Newer')).toBeNull())
    await user.click(await findBell())
    await screen.findByText('Newer')
    expect(screen.queryByText('Older')).toBeNull()
    expect(screen.getByRole('button', { name: 'Load more' })).toBeTruthy()
  })

  test.each([
    ['user', /your supervisor’s answers to your comments/],
    ['supervisor', /Comments of your team/],
    ['manager', /Answers to your requests/],
  ] as const)('explains its purpose to a %s while it is empty', async (role, text) => {
    await openMenu(role)
    expect(await screen.findByText('No notifications yet')).toBeTruthy()
    expect(screen.getByText(text)).toBeTruthy()
  })

  test('keeps its content after a failure, marked as old, and can be loaded again', async () => {
    service.setNotifications(makeNotification({ title: 'Known' }))
    const { store } = await openMenu()
    await screen.findByText('Known')
    api.refuse(listNotifications, 'unavailable')
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    expect(await screen.findByText('Couldn’t load the notifications.')).toBeTruthy()
    expect(screen.getByText('Showing the last loaded data.')).toBeTruthy()
    expect(screen.getByText('Known')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    service.answerCalls()
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    await waitFor(() => expect(screen.queryByText(/Couldn’t load/)).toBeNull())
  })

  test('shows only the error if it was never loaded', async () => {
    api.refuse(listNotifications, 'unavailable')
    renderBell()
    await user.click(await findBell('Notifications'))
    expect(await screen.findByText('Couldn’t load the notifications.')).toBeTruthy()
    expect(screen.queryByText(/last data that could be loaded|last known/)).toBeNull()
    expect(screen.queryByText('No notifications yet')).toBeNull()
  })
})

describe('reading notifications', () => {
  test('opens the second in the player and marks the notification at once', async () => {
    const note = makeNotification({ title: 'A note', timestamp: 75.4 })
    service.setNotifications(note, makeNotification())
    let sendAnswer = () => {}
    api.answer(readNotification, async () => {
      await new Promise<void>(resolve => {
        sendAnswer = resolve
      })
      service.update(({ id }) => id === note.id, { is_read: true })
      return { success: true as const }
    })
    await openMenu()
    await user.click(within(await findItem('A note')).getByRole('link', { name: 'Open: A note' }))
    expect(address()).toBe('/dashboard?playlist_id=safety&video_id=exits&t=75&action=view')
    expect(await findBell(/, 1 unread/)).toBeTruthy()
    expect(screen.queryByRole('heading', { name: 'Notifications' })).toBeNull()
    sendAnswer()
    await waitFor(() => expect(api.callsOf(listNotifications).length).toBeGreaterThanOrEqual(2))
    expect(await findBell(/, 1 unread/)).toBeTruthy()
    expect(api.callsOf(readNotification).map(({ params }) => params.id)).toEqual([note.id])
  })

  test('shows one as unread again if marking it fails', async () => {
    service.setNotifications(makeNotification({ title: 'A note' }))
    api.refuse(readNotification, 'unavailable')
    await openMenu()
    await user.click(within(await findItem('A note')).getByRole('link'))
    await waitFor(() => expect(api.callsOf(readNotification)).toHaveLength(1))
    expect(await findBell(/, 1 unread/)).toBeTruthy()
    expect(address()).toContain('action=view')
  })

  test('does not mark one twice', async () => {
    service.setNotifications(makeNotification({ title: 'A note', is_read: true }))
    await openMenu()
    await user.click(within(await findItem('A note')).getByRole('link'))
    expect(address()).toContain('action=view')
    expect(api.callsOf(readNotification)).toHaveLength(0)
  })

  test('lets the supervisor look at a waiting comment before answering', async () => {
    service.setNotifications(makeWaitingComment())
    await openMenu()
    await user.click(within(await findWaitingRegion()).getByRole('link', { name: 'Open: Trainee One at 1:15' }))
    expect(address()).toBe('/dashboard?playlist_id=safety&video_id=exits&t=75&action=view')
  })

  test('shows a trainee the full comment, and opens the dashboard for a new task', async () => {
    const text = `Look at the plan. ${'It hangs at the door. '.repeat(30)}`.trim()
    const message = `Supervisor One approved your comment at 1:15 in “Fire exits”: “${text.slice(0, 300)}…”`
    service.setNotifications(
      makeNotification({ kind: 'comment_reviewed', title: 'Comment approved', message, supervisor_comment: text }),
      makeNotification({
        kind: 'task_assigned',
        title: 'New task',
        message: 'Supervisor One assigned it.',
        video_id: null,
      }),
    )
    await openMenu('user')
    expect(await screen.findByText(text)).toBeTruthy()
    await user.click(within(await findItem('New task')).getByRole('link'))
    expect(address()).toBe('/dashboard')
  })

  test('shows one of a kind that this page does not know, without a link', async () => {
    const later = { kind: 'certificate_issued', notification_type: 'certificates', title: 'Certificate issued' }
    service.setNotifications(makeNotification(later as never), makeNotification())
    await openMenu()
    expect((await findItem('Certificate issued')).textContent).toContain('Trainee One completed “Fire exits”.')
    expect(within(await findItem('Certificate issued')).queryByRole('link')).toBeNull()
    expect(within(await findItem('Video completed')).getByRole('link')).toBeTruthy()
  })

  test('shows a due date by the clock of the device, and an earlier notification as it is', async () => {
    const text = '31 January 2027 at 17:00 (Europe/Berlin)'
    const task = { kind: 'task_due_soon' as const, title: 'Task due soon', message: `“Safety” is due on ${text}.` }
    const at = '2027-01-31T16:00:00.000Z'
    service.setNotifications(
      makeNotification({ ...task, due: { at, text } }),
      makeNotification({ ...task, title: 'Task overdue' }),
    )
    await openMenu('user')
    const time = within(await findItem('Task due soon')).getByTitle(text)
    expect(time.getAttribute('datetime')).toBe(at)
    expect(time.parentElement?.textContent).toBe(`“Safety” is due on ${formatExactTime(at)} (${text}).`)
    expect((await findItem('Task overdue')).textContent).toContain(task.message)
  })

  test('shows the end of a grace period by the clock of the device, too', async () => {
    const due = { at: '2027-01-31T16:00:00.000Z', text: '31 January 2027 at 17:00 (Europe/Berlin)' }
    const grace_until = { at: '2027-02-03T16:00:00.000Z', text: '3 February 2027 at 17:00 (Europe/Berlin)' }
    const message = `“Safety” was due on ${due.text}. You can still complete it until ${grace_until.text}.`
    service.setNotifications(makeNotification({ kind: 'task_in_grace', title: 'In grace', message, due, grace_until }))
    await openMenu('user')
    const end = within(await findItem('In grace')).getByTitle(grace_until.text)
    expect(end.parentElement?.textContent).toBe(
      `“Safety” was due on ${formatExactTime(due.at)} (${due.text}). You can still complete it until ${formatExactTime(grace_until.at)} (${grace_until.text}).`,
    )
  })

  test('does not repeat a comment that the message already contains', async () => {
    const message = 'Supervisor One rejected your comment at 1:15 in “Fire exits”: “No.”'
    service.setNotifications(
      makeNotification({ kind: 'comment_reviewed', title: 'Comment rejected', message, supervisor_comment: 'No.' }),
    )
    await openMenu('user')
    expect(within(await findItem('Comment rejected')).getAllByText(/No\./)).toHaveLength(1)
  })

  test('marks all as read on request, while waiting comments keep waiting', async () => {
    service.setNotifications(makeNotification(), makeWaitingComment())
    await openMenu()
    await user.click(screen.getByRole('button', { name: 'Mark all as read' }))
    expect(await findBell('Notifications, 0 unread, 1 to review')).toBeTruthy()
    expect(screen.queryByText('Unread')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Mark all as read' })).toBeNull()
    expect(document.activeElement?.textContent).toBe('Notifications')
    expect(within(await findWaitingRegion()).getByRole('button', { name: /^Approve/ })).toBeTruthy()
  })

  test('reports a failure to mark all as read, and shows them as unread again', async () => {
    service.setNotifications(makeNotification())
    api.refuse(readAllNotifications, 'unavailable')
    await openMenu()
    await user.click(screen.getByRole('button', { name: 'Mark all as read' }))
    expect(await screen.findByText('The notifications could not be marked as read. Please try again.')).toBeTruthy()
    expect(await findBell(/, 1 unread/)).toBeTruthy()
  })
})
