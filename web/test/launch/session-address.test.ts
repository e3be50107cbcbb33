import { describe, expect, test } from '@jest/globals'
import { sessionAddressOf } from '../../src/features/launch/session-address.ts'

const addressOf = (search: string) => sessionAddressOf(new URLSearchParams(search))

describe('the session in an address', () => {
  test('is absent on the plain dashboard', () => {
    expect(addressOf('')).toBeUndefined()
    expect(addressOf('tab=team&video_id=v')).toBeUndefined()
  })

  test('is the one that the person started', () => {
    expect(addressOf('tab=playlists&session=p1')).toEqual({ playlistId: 'p1' })
  })

  test('is the target of a notification, with its second', () => {
    expect(addressOf('playlist_id=p1&video_id=v2&t=65.5&action=approved')).toEqual({
      playlistId: 'p1',
      launch: { startVideoId: 'v2', startTimestamp: 65.5, notificationAction: 'approved' },
    })
  })

  test.each(['', '-3', 'soon', 'NaN', 'Infinity'])('has no second if t is %p', t => {
    expect(addressOf(`playlist_id=p1&t=${t}`)?.launch).toEqual({ notificationAction: 'view' })
  })

  test('is a view unless the action is “approved”', () => {
    expect(addressOf('playlist_id=p1&action=reject')?.launch?.notificationAction).toBe('view')
  })
})
