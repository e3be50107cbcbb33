import { describe, expect, test } from '@jest/globals'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { limits } from '@watchline/contracts/limits'
import { listNotifications, reviewNotification } from '@watchline/contracts/notification'
import { prepareSignOut } from '../../src/api/before-sign-out.ts'
import { gateway } from '../../src/api/gateway.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { refusal } from '../support/fake-api.ts'
import { makeWaitingComment } from '../support/notifications.ts'
import { keepUndoPossible } from '../support/undo.ts'
import { setUpBellPage } from './_bell-page.tsx'

const { api, user, service, openMenu, findBell, address, findWaitingRegion, findItem } = setUpBellPage()

describe('the answer to a comment', () => {
  const commentName = 'the comment of Trainee One at 1:15'

  test('opens the second in the player if it approves', async () => {
    const comment = makeWaitingComment()
    service.setNotifications(comment)
    await openMenu()
    await user.click(within(await findWaitingRegion()).getByRole('button', { name: `Approve ${commentName}` }))
    await waitFor(() => expect(address()).toBe('/dashboard?playlist_id=safety&video_id=exits&t=75&action=approved'))
    expect(screen.queryByRole('heading', { name: 'Notifications' })).toBeNull()
    expect(await findBell('Notifications, 0 unread')).toBeTruthy()
    expect(api.callsOf(reviewNotification)).toMatchObject([
      { params: { id: comment.id }, body: { action: 'approve', supervisor_comment: '' } },
    ])
  })

  test('offers the second as a link in a running session, and does not leave the session', async () => {
    service.setNotifications(makeWaitingComment())
    await openMenu('supervisor', '/dashboard?session=safety')
    await user.click(within(await findWaitingRegion()).getByRole('button', { name: `Approve ${commentName}` }))
    const link = await screen.findByRole('link', { name: `Watch the moment of ${commentName}` })
    expect(address()).toBe('/dashboard?session=safety')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(link)
    expect(address()).toBe('/dashboard?playlist_id=safety&video_id=exits&t=75&action=approved')
    expect(screen.queryByRole('heading', { name: 'Notifications' })).toBeNull()
  })

  test.each([
    ['Approve', 'approve', '2 comments approved'],
    ['Reject', 'reject', '2 comments rejected'],
  ])('is sent to all waiting comments after a question: %s all', async (verb, action, message) => {
    service.setNotifications(makeWaitingComment(), makeWaitingComment({ comment: 'Another', timestamp: 80 }))
    await openMenu()
    await user.click(within(await findItem('Another')).getByRole('button', { name: /^Add a reply/ }))
    await user.keyboard('See the plan')
    await user.click(screen.getByRole('button', { name: `${verb} all` }))
    const question = screen.getByRole('group', { name: `${verb} all` })
    expect(document.activeElement).toBe(question)
    expect(api.callsOf(reviewNotification)).toEqual([])
    await user.click(within(question).getByRole('button', { name: 'Cancel' }))
    await user.click(screen.getByRole('button', { name: `${verb} all` }))
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: `${verb} 2` }))
    expect(await screen.findByText(message)).toBeTruthy()
    const bodies = api.callsOf(reviewNotification).map(({ body }) => body)
    expect(bodies).toHaveLength(2)
    expect(bodies).toEqual(
      expect.arrayContaining([
        { action, supervisor_comment: '' },
        { action, supervisor_comment: 'See the plan' },
      ]),
    )
    expect(address()).toBe('/dashboard')
    expect(screen.queryByRole('button', { name: `${verb} all` })).toBeNull()
  })

  test('to all leaves out a comment that arrives after the question', async () => {
    const asked = [80, 90].map(timestamp => makeWaitingComment({ comment: `At ${timestamp}`, timestamp }))
    service.setNotifications(...asked)
    const { store } = await openMenu()
    await findItem('At 90')
    await user.click(screen.getByRole('button', { name: 'Approve all' }))
    service.addNotification(makeWaitingComment({ comment: 'Unread by the supervisor' }))
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    await findItem('Unread by the supervisor')
    await user.click(screen.getByRole('button', { name: 'Approve 2' }))
    expect(await screen.findByText('2 comments approved')).toBeTruthy()
    const answeredIds = api.callsOf(reviewNotification).map(({ params }) => params.id)
    expect(answeredIds.sort()).toEqual(asked.map(({ id }) => id).sort())
  })

  test('leaves out comments that somebody else answered, and stops at a failure', async () => {
    const first = makeWaitingComment()
    const second = makeWaitingComment({ comment: 'Another', timestamp: 80 })
    service.setNotifications(first, second)
    await openMenu()
    await findItem('Another')
    service.update(({ id }) => id === first.id, { is_approved: false, is_read: true })
    await user.click(screen.getByRole('button', { name: 'Approve all' }))
    await user.click(screen.getByRole('button', { name: 'Approve 2' }))
    expect(await screen.findByText('1 comment approved')).toBeTruthy()
    expect(screen.getByText('1 comment changed meanwhile. Please read them again.')).toBeTruthy()
  })

  describe('to all', () => {
    keepUndoPossible()

    test('leaves out a rejection that can still be undone', async () => {
      const rejected = makeWaitingComment()
      const others = [80, 90].map(timestamp => makeWaitingComment({ comment: `At ${timestamp}`, timestamp }))
      service.setNotifications(rejected, ...others)
      await openMenu()
      await user.click(within(await findWaitingRegion()).getByRole('button', { name: `Reject ${commentName}` }))
      await user.click(screen.getByRole('button', { name: 'Approve all' }))
      screen.getByText('Approve 2 comments and notify the authors?')
      await user.click(screen.getByRole('button', { name: `Undo the rejection of ${commentName}` }))
      // It was not asked about.
      await within(await findWaitingRegion()).findByRole('button', { name: `Reject ${commentName}` })
      screen.getByText('Approve 2 comments and notify the authors?')
      await user.click(within(await findWaitingRegion()).getByRole('button', { name: `Reject ${commentName}` }))
      await user.click(screen.getByRole('button', { name: 'Approve 2' }))
      expect(await screen.findByText('2 comments approved')).toBeTruthy()
      expect(screen.queryByText(/changed meanwhile/)).toBeNull()
      const answered = () =>
        api.callsOf(reviewNotification).map(({ params, body }) => [params.id, (body as { action: string }).action])
      const approvals = others.map(({ id }) => [id, 'approve'])
      expect(answered()).toEqual(expect.arrayContaining(approvals))
      expect(answered()).toHaveLength(2)
      screen.getByRole('button', { name: `Undo the rejection of ${commentName}` })
      await act(prepareSignOut)
      expect(answered()).toContainEqual([rejected.id, 'reject'])
      expect(answered()).toHaveLength(3)
    })
  })

  test('stays in the list with its text if it rejects, and says that the trainee is notified', async () => {
    service.setNotifications(makeWaitingComment(), makeWaitingComment({ comment: 'Another', timestamp: 80 }))
    await openMenu()
    const comment = await findItem('What about the lift?')
    await user.click(within(comment).getByRole('button', { name: /^Add a reply/ }))
    expect(document.activeElement).toBe(within(comment).getByLabelText('Your reply to Trainee One'))
    await user.keyboard('  Ask me ')
    expect(within(comment).getByText('6 of 2,000 characters')).toBeTruthy()
    await user.click(within(comment).getByRole('button', { name: `Reject with reply ${commentName}` }))
    await waitFor(() =>
      expect(within(comment).getByText(/Trainee One has been notified\./).textContent).toContain('Rejected'),
    )
    expect(within(comment).getByText('Ask me')).toBeTruthy()
    expect(within(comment).queryByRole('button')).toBeNull()
    expect(comment.contains(document.activeElement)).toBe(true)
    expect(api.callsOf(reviewNotification)[0]?.body).toEqual({ action: 'reject', supervisor_comment: 'Ask me' })
    expect(address()).toBe('/dashboard')
    // After a reload the comment keeps its place until the menu is closed.
    await findBell('Notifications, 1 unread, 1 to review')
    expect((await findWaitingRegion()).contains(comment)).toBe(true)
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(await findBell())
    await user.click(await findBell())
    const otherNotifications = await screen.findByRole('region', { name: 'Other notifications' })
    expect(within(otherNotifications).getByText('Rejected')).toBeTruthy()
    expect(within(otherNotifications).getByText('Ask me')).toBeTruthy()
  })

  test('keeps the focus in the menu if somebody else answers first', async () => {
    service.setNotifications(makeWaitingComment())
    const { store } = await openMenu()
    await user.click(within(await findWaitingRegion()).getByRole('button', { name: `Reject ${commentName}` }))
    service.update(() => true, { is_approved: false, is_read: true })
    act(() => void store.dispatch(gateway.util.invalidateTags(['Notifications'])))
    await waitFor(() => expect(screen.queryByRole('button', { name: `Reject ${commentName}` })).toBeNull())
    await act(prepareSignOut)
    expect(screen.getByRole('region', { name: 'Notifications' }).contains(document.activeElement)).toBe(true)
  })

  test('of a rejection can be undone before the author is notified', async () => {
    service.setNotifications(makeWaitingComment())
    await openMenu()
    await user.click(within(await findWaitingRegion()).getByRole('button', { name: `Reject ${commentName}` }))
    await user.click(screen.getByRole('button', { name: `Undo the rejection of ${commentName}` }))
    await act(prepareSignOut)
    expect(api.callsOf(reviewNotification)).toEqual([])
    await user.click(screen.getByRole('button', { name: `Approve ${commentName}` }))
    await waitFor(() => expect(address()).toContain('action=approved'))
    expect(api.callsOf(reviewNotification)).toMatchObject([{ body: { action: 'approve' } }])
  })

  test.each([
    ['the menu', () => user.keyboard('{Escape}')],
    ['the page', () => fireEvent(window, new Event('pagehide'))],
    ['the login session', () => act(() => prepareSignOut())],
  ])('of a rejection is sent at once if the person leaves %s', async (_, leave) => {
    service.setNotifications(makeWaitingComment())
    await openMenu()
    await user.click(within(await findWaitingRegion()).getByRole('button', { name: `Reject ${commentName}` }))
    expect(api.callsOf(reviewNotification)).toEqual([])
    await leave()
    await waitFor(() => expect(api.callsOf(reviewNotification)).toMatchObject([{ body: { action: 'reject' } }]))
  })

  test('is sent once, however often the person clicks', async () => {
    service.setNotifications(makeWaitingComment())
    let sendAnswer = () => {}
    api.answer(reviewNotification, async () => {
      await new Promise<void>(resolve => {
        sendAnswer = resolve
      })
      service.update(() => true, { is_approved: false, is_read: true })
      return { success: true as const, redirect_url: '/dashboard' }
    })
    await openMenu()
    const rejectButton = within(await findWaitingRegion()).getByRole('button', { name: /^Reject/ })
    const approveButton = screen.getByRole('button', { name: /^Approve/ })
    fireEvent.click(rejectButton)
    fireEvent.click(rejectButton)
    fireEvent.click(approveButton)
    await user.dblClick(rejectButton)
    expect(rejectButton.textContent).toMatch(/^Rejecting…/)
    expect(rejectButton.getAttribute('aria-disabled')).toBe('true')
    await waitFor(() => expect(api.callsOf(reviewNotification)).toHaveLength(1))
    sendAnswer()
    expect(await screen.findByText(/has been notified/)).toBeTruthy()
    expect(api.callsOf(reviewNotification)).toHaveLength(1)
  })

  test('gives way to an earlier answer of somebody else, which is shown', async () => {
    const comment = makeWaitingComment()
    service.setNotifications(comment)
    await openMenu()
    await findWaitingRegion()
    service.update(() => true, { is_approved: true, is_read: true, supervisor_comment: 'Well seen' })
    await user.click(screen.getByRole('button', { name: /^Reject/ }))
    expect(await screen.findByText('This has already been answered.')).toBeTruthy()
    expect(screen.getByText('Approved')).toBeTruthy()
    expect(await screen.findByText('Well seen')).toBeTruthy()
    expect(screen.queryByText(/has been notified/)).toBeNull()
    expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull()
  })

  test('is refused if another supervisor has become responsible', async () => {
    service.setNotifications(makeWaitingComment())
    await openMenu()
    await findWaitingRegion()
    service.setNotifications()
    await user.click(screen.getByRole('button', { name: /^Approve/ }))
    expect(await screen.findByText('This comment no longer needs your answer.')).toBeTruthy()
    await waitFor(() => expect(screen.queryByText('What about the lift?')).toBeNull())
    expect(address()).toBe('/dashboard')
  })

  test('keeps its text if it cannot be sent, even after the menu is closed', async () => {
    service.setNotifications(makeWaitingComment())
    api.answer(reviewNotification, () => refusal('unavailable', 'Not now.'))
    await openMenu()
    await user.click(within(await findWaitingRegion()).getByRole('button', { name: /^Add a reply/ }))
    await user.keyboard('Ask me')
    await user.click(screen.getByRole('button', { name: /^Approve with reply/ }))
    expect(
      await screen.findByText(/could not be sent\. Nothing was lost\. Please try again\. \(Not now\.\)/),
    ).toBeTruthy()
    expect(screen.getByDisplayValue('Ask me')).toBeTruthy()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByDisplayValue('Ask me')).toBeNull())
    await user.click(await findBell())
    expect(await screen.findByDisplayValue('Ask me')).toBeTruthy()
    service.answerCalls()
    await user.click(screen.getByRole('button', { name: /^Approve with reply/ }))
    await waitFor(() => expect(address()).toContain('action=approved'))
    expect(api.callsOf(reviewNotification).map(({ body }) => body)).toEqual([
      { action: 'approve', supervisor_comment: 'Ask me' },
      { action: 'approve', supervisor_comment: 'Ask me' },
    ])
  })

  test('has a bounded length', async () => {
    service.setNotifications(makeWaitingComment())
    await openMenu()
    await user.click(within(await findWaitingRegion()).getByRole('button', { name: /^Add a reply/ }))
    const field = screen.getByLabelText('Your reply to Trainee One')
    fireEvent.change(field, { target: { value: 'x'.repeat(limits.commentMaxLength + 1) } })
    expect(screen.getByText('1 characters too many')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: /^Reject with reply/ }))
    expect(api.callsOf(reviewNotification)).toHaveLength(0)
    await user.click(screen.getByRole('button', { name: /^Discard reply/ }))
    expect(screen.queryByLabelText('Your reply to Trainee One')).toBeNull()
  })

  test('is not disturbed by new notifications while it is written', async () => {
    service.setNotifications(makeWaitingComment())
    const { store } = await openMenu()
    await user.click(within(await findWaitingRegion()).getByRole('button', { name: /^Add a reply/ }))
    await user.keyboard('Ask')
    api.refuse(listNotifications, 'unavailable')
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    await screen.findByText(/Couldn’t load/)
    await user.keyboard(' me')
    service.addNotification(makeWaitingComment({ comment: 'Another', user_id: 'trainee2', user_name: 'Trainee Two' }))
    service.answerCalls()
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    await screen.findByText('Another')
    await user.keyboard(' later')
    expect(screen.getByDisplayValue('Ask me later')).toBe(document.activeElement)
  })
})
