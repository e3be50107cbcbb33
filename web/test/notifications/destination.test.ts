import { describe, expect, test } from '@jest/globals'
import type { Notification, NotificationKind } from '@watchline/contracts/notification'
import { findNotificationAddress } from '@watchline/contracts/notification-address'
import type { Role } from '@watchline/contracts/people'
import { sessionAddressOf } from '../../src/features/launch/session-address.ts'
import { makeNotification } from '../support/notifications.ts'

const findDestination = (kind: NotificationKind, role: Role, changes: Partial<Notification> = {}) =>
  findNotificationAddress(makeNotification({ kind, ...changes }), role)
const noTarget = { playlist_id: null, video_id: null, timestamp: null }

describe('a notification leads', () => {
  test('to the player, with an address that the player can read', () => {
    const address = findDestination('comment_reviewed', 'user', {
      playlist_id: 'a b',
      video_id: 'c~d',
      timestamp: 75.9,
    })
    expect(sessionAddressOf(new URL(address!, 'http://x').searchParams)).toEqual({
      playlistId: 'a b',
      launch: { startVideoId: 'c~d', startTimestamp: 75, notificationAction: 'view' },
    })
    expect(findDestination('integrity', 'supervisor', { video_id: null })).toBe(
      '/dashboard?playlist_id=safety&action=view',
    )
    expect(findDestination('video_unavailable', 'manager')).toContain('action=view')
  })

  test('with the action “approved” only if something was approved', () => {
    expect(findDestination('comment_to_approve', 'supervisor', { is_approved: true })).toContain('action=approved')
    for (const is_approved of [null, false])
      expect(findDestination('comment_to_approve', 'supervisor', { is_approved })).toContain('action=view')
  })

  test('to the tasks, the requests or the playlists', () => {
    expect(findDestination('task_assigned', 'user')).toBe('/dashboard')
    expect(findDestination('task_reminded', 'user')).toBe('/dashboard')
    expect(findDestination('request_reviewed', 'manager')).toBe('/dashboard')
    expect(findDestination('playlist_shared', 'supervisor')).toBe('/dashboard?tab=playlists')
    expect(findDestination('manager_changed', 'supervisor')).toBe('/dashboard?tab=playlists')
    expect(findDestination('supervisor_requested', 'admin')).toBe('/admin?tab=managers')
    expect(findDestination('playlist_completed', 'manager')).toBe('/dashboard?tab=analytics')
    expect(findDestination('task_escalated', 'manager')).toBe('/dashboard?tab=analytics&view=at-risk&reason=overdue')
    expect(findDestination('task_escalated', 'supervisor')).toBeUndefined()
    expect(findDestination('token_reused', 'user')).toBe('/dashboard?page=record')
    expect(findDestination('token_reused', 'admin')).toBe('/admin?page=record')
  })

  test('to the common tab if its activities are in several places', () => {
    expect(findDestination('video_completed', 'supervisor', noTarget)).toBe('/dashboard?tab=engagement')
    expect(findDestination('video_unavailable', 'manager', noTarget)).toBe('/dashboard?tab=playlists')
    expect(findDestination('comment_reviewed', 'user', noTarget)).toBeUndefined()
  })
})
