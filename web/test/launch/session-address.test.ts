import { describe, expect, test } from '@jest/globals'
import { sessionAddressOf } from '../../src/features/launch/session-address.ts'

const of = (search: string) => sessionAddressOf(new URLSearchParams(search))

describe('the session an address names', () => {
  test('is none on the plain dashboard', () => {
    expect(of('')).toBeUndefined()
    expect(of('tab=team&video_id=v')).toBeUndefined()
  })

  test('is the one that was started here', () => {
    expect(of('tab=playlists&session=p1')).toEqual({ playlistId: 'p1' })
  })

  test('is the one that a notification links to, at its moment', () => {
    expect(of('playlist_id=p1&video_id=v2&t=65.5&action=approved')).toEqual({
      playlistId: 'p1',
      launch: { startVideoId: 'v2', startTimestamp: 65.5, notificationAction: 'approved' },
    })
  })

  test.each(['', '-3', 'soon', 'NaN', 'Infinity'])('has no moment when t is %p', t => {
    expect(of(`playlist_id=p1&t=${t}`)?.launch).toEqual({ notificationAction: 'view' })
  })

  test('is a view unless the action says approved', () => {
    expect(of('playlist_id=p1&action=reject')?.launch?.notificationAction).toBe('view')
  })
})
