import { describe, expect, test } from '@jest/globals'
import type { Notification, NotificationKind } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { sessionAddressOf } from '../../src/features/launch/session-address.ts'
import { destinationOf } from '../../src/features/notifications/destination.ts'
import { aNotification } from '../support/notifications.ts'

const leads = (kind: NotificationKind, role: Role, changes: Partial<Notification> = {}) =>
  destinationOf(aNotification({ kind, ...changes }), role)
const nowhere = { playlist_id: null, video_id: null, timestamp: null }

describe('opening leads', () => {
  test('to the player, as the player reads its address', () => {
    const address = leads('comment_reviewed', 'user', { playlist_id: 'a b', video_id: 'c~d', timestamp: 75.9 })
    expect(sessionAddressOf(new URL(address!, 'http://x').searchParams)).toEqual({
      playlistId: 'a b',
      launch: { startVideoId: 'c~d', startTimestamp: 75, notificationAction: 'view' },
    })
    expect(leads('integrity', 'supervisor', { video_id: null })).toBe('/dashboard?playlist_id=safety&action=view')
    expect(leads('video_unavailable', 'manager')).toContain('action=view')
  })

  test('as approved only where something was', () => {
    expect(leads('comment_to_approve', 'supervisor', { is_approved: true })).toContain('action=approved')
    for (const is_approved of [null, false])
      expect(leads('comment_to_approve', 'supervisor', { is_approved })).toContain('action=view')
  })

  test('to where tasks, requests and playlists are', () => {
    expect(leads('task_assigned', 'user')).toBe('/dashboard')
    expect(leads('request_reviewed', 'manager')).toBe('/dashboard')
    expect(leads('playlist_shared', 'supervisor')).toBe('/dashboard?tab=playlists')
  })

  test('to what many have in common, when it is not one place', () => {
    expect(leads('video_completed', 'supervisor', nowhere)).toBe('/dashboard?tab=engagement')
    expect(leads('video_unavailable', 'manager', nowhere)).toBe('/dashboard?tab=playlists')
    expect(leads('comment_reviewed', 'user', nowhere)).toBeUndefined()
  })
})
