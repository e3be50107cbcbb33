import { describe, expect, test } from '@jest/globals'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { limits } from '@watchline/contracts/limits'
import { listNotifications, reviewNotification } from '@watchline/contracts/notification'
import { gateway } from '../../src/api/gateway.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { refusal } from '../support/fake-api.ts'
import { aWaitingComment } from '../support/notifications.ts'
import { bellOnAPage } from './_bell.tsx'

const { api, user, box, open, bell, address, waiting, item } = bellOnAPage()

describe('an answer', () => {
  const name = 'the comment of Trainee One at 1:15'

  test('that approves leads to the second, under the approved banner', async () => {
    const asked = aWaitingComment()
    box.holds(asked)
    await open()
    await user.click(within(await waiting()).getByRole('button', { name: `Approve ${name}` }))
    await waitFor(() => expect(address()).toBe('/dashboard?playlist_id=safety&video_id=exits&t=75&action=approved'))
    expect(screen.queryByRole('heading', { name: 'Notifications' })).toBeNull()
    expect(await bell('Notifications, 0 unread, 0 waiting for you')).toBeTruthy()
    expect(api.callsOf(reviewNotification)).toMatchObject([
      { params: { id: asked.id }, body: { action: 'approve', supervisor_comment: '' } },
    ])
  })

  test('that rejects stays, with its words and that the trainee has been notified', async () => {
    box.holds(aWaitingComment(), aWaitingComment({ comment: 'Another', timestamp: 80 }))
    await open()
    const asked = await item('What about the lift?')
    await user.click(within(asked).getByRole('button', { name: /^Add a comment/ }))
    expect(document.activeElement).toBe(within(asked).getByLabelText('Your comment to Trainee One'))
    await user.keyboard('  Ask me ')
    expect(within(asked).getByText('6 of 2,000 characters')).toBeTruthy()
    await user.click(within(asked).getByRole('button', { name: `Reject with comment ${name}` }))
    await waitFor(() =>
      expect(within(asked).getByText(/Trainee One has been notified\./).textContent).toContain('Rejected'),
    )
    expect(within(asked).getByText('Ask me')).toBeTruthy()
    expect(within(asked).queryByRole('button')).toBeNull()
    expect(asked.contains(document.activeElement)).toBe(true)
    expect(api.callsOf(reviewNotification)[0]?.body).toEqual({ action: 'reject', supervisor_comment: 'Ask me' })
    expect(address()).toBe('/dashboard')
    // Asked for again, it stays where it was until the menu is closed.
    await bell('Notifications, 1 unread, 1 waiting for you')
    expect((await waiting()).contains(asked)).toBe(true)
    expect(await accessibilityFaults()).toEqual([])
    await user.click(await bell())
    await user.click(await bell())
    const rest = await screen.findByRole('region', { name: 'Other notifications' })
    expect(within(rest).getByText('Rejected')).toBeTruthy()
    expect(within(rest).getByText('Ask me')).toBeTruthy()
  })

  test('is sent once, however often one clicks', async () => {
    box.holds(aWaitingComment())
    let answer = () => {}
    api.answer(reviewNotification, async () => {
      await new Promise<void>(resolve => {
        answer = resolve
      })
      box.change(() => true, { is_approved: false, is_read: true })
      return { success: true as const, redirect_url: '/dashboard' }
    })
    await open()
    const reject = within(await waiting()).getByRole('button', { name: /^Reject/ })
    const approve = screen.getByRole('button', { name: /^Approve/ })
    fireEvent.click(reject)
    fireEvent.click(reject)
    fireEvent.click(approve)
    await user.dblClick(reject)
    expect(reject.textContent).toMatch(/^Rejecting…/)
    expect(reject.getAttribute('aria-disabled')).toBe('true')
    await waitFor(() => expect(api.callsOf(reviewNotification)).toHaveLength(1))
    answer()
    expect(await screen.findByText(/has been notified/)).toBeTruthy()
    expect(api.callsOf(reviewNotification)).toHaveLength(1)
  })

  test('that somebody else’s has forestalled says so and shows the one that stands', async () => {
    const asked = aWaitingComment()
    box.holds(asked)
    await open()
    await waiting()
    box.change(() => true, { is_approved: true, is_read: true, supervisor_comment: 'Well seen' })
    await user.click(screen.getByRole('button', { name: /^Reject/ }))
    expect(await screen.findByText('This has already been answered.')).toBeTruthy()
    expect(screen.getByText('Approved')).toBeTruthy()
    expect(await screen.findByText('Well seen')).toBeTruthy()
    expect(screen.queryByText(/has been notified/)).toBeNull()
    expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull()
  })

  test('to a comment that has gone to somebody else says so', async () => {
    box.holds(aWaitingComment())
    await open()
    await waiting()
    box.holds()
    await user.click(screen.getByRole('button', { name: /^Approve/ }))
    expect(await screen.findByText('This comment no longer needs your answer.')).toBeTruthy()
    await waitFor(() => expect(screen.queryByText('What about the lift?')).toBeNull())
    expect(address()).toBe('/dashboard')
  })

  test('that cannot be sent loses no word, also when the menu is closed', async () => {
    box.holds(aWaitingComment())
    api.answer(reviewNotification, () => refusal('unavailable', 'Not now.'))
    await open()
    await user.click(within(await waiting()).getByRole('button', { name: /^Add a comment/ }))
    await user.keyboard('Ask me')
    await user.click(screen.getByRole('button', { name: /^Approve with comment/ }))
    expect(
      await screen.findByText(/could not be sent\. Nothing was lost\. Please try again\. \(Not now\.\)/),
    ).toBeTruthy()
    expect(screen.getByDisplayValue('Ask me')).toBeTruthy()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByDisplayValue('Ask me')).toBeNull())
    await user.click(await bell())
    expect(await screen.findByDisplayValue('Ask me')).toBeTruthy()
    box.answer()
    await user.click(screen.getByRole('button', { name: /^Approve with comment/ }))
    await waitFor(() => expect(address()).toContain('action=approved'))
    expect(api.callsOf(reviewNotification).map(({ body }) => body)).toEqual([
      { action: 'approve', supervisor_comment: 'Ask me' },
      { action: 'approve', supervisor_comment: 'Ask me' },
    ])
  })

  test('has no more words than it may', async () => {
    box.holds(aWaitingComment())
    await open()
    await user.click(within(await waiting()).getByRole('button', { name: /^Add a comment/ }))
    const field = screen.getByLabelText('Your comment to Trainee One')
    fireEvent.change(field, { target: { value: 'x'.repeat(limits.commentMaxLength + 1) } })
    expect(screen.getByText('1 characters too many')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: /^Reject with comment/ }))
    expect(api.callsOf(reviewNotification)).toHaveLength(0)
    await user.click(screen.getByRole('button', { name: /^Discard comment/ }))
    expect(screen.queryByLabelText('Your comment to Trainee One')).toBeNull()
  })

  test('while one writes, what comes does not disturb', async () => {
    box.holds(aWaitingComment())
    const { store } = await open()
    await user.click(within(await waiting()).getByRole('button', { name: /^Add a comment/ }))
    await user.keyboard('Ask')
    api.refuse(listNotifications, 'unavailable')
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    await screen.findByText(/could not be loaded/)
    await user.keyboard(' me')
    box.comes(aWaitingComment({ comment: 'Another', user_id: 'trainee2', user_name: 'Trainee Two' }))
    box.answer()
    store.dispatch(gateway.util.invalidateTags(['Notifications']))
    await screen.findByText('Another')
    await user.keyboard(' later')
    expect(screen.getByDisplayValue('Ask me later')).toBe(document.activeElement)
  })
})
