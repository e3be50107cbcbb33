import './_immediate.ts'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, createEvent, fireEvent, screen, within } from '@testing-library/react'
import { IDBFactory } from 'fake-indexeddb'
import { advance, stopTime } from '../support/manual-time.ts'
import { makeSessionPlaylist } from './_session-driver.ts'
import { prepareSession, setMedia, settleScreen } from './_session-screen.tsx'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
})
afterEach(() => {
  cleanup()
  window.sessionStorage.clear()
  window.localStorage.clear()
})

const holdUpright = () => setMedia(query => query.includes('max-width') && !query.includes('landscape'))
const holdInLandscape = () => setMedia(query => query.includes('landscape') && query.includes('coarse'))
const findPlayer = () => screen.getByRole('region', { name: 'Player' })

describe('the player on a phone', () => {
  test('has all controls when it is held upright: a second row below the picture', async () => {
    holdUpright()
    const session = prepareSession()
    await session.play()
    const row = within(screen.getByRole('region', { name: 'More controls' }))
    for (const name of ['Back 10 seconds', 'Turn the sound off', 'Theatre view', 'Keyboard shortcuts'])
      expect(row.getByRole('button', { name })).toBeTruthy()
    expect(row.getByRole('combobox', { name: 'Playback speed' })).toBeTruthy()
    const picture = findPlayer().firstElementChild!
    expect(picture.contains(row.getByRole('button', { name: 'Theatre view' }))).toBe(false)
    session.adapters.last.currentTime = 20
    fireEvent.click(row.getByRole('button', { name: 'Forward 10 seconds' }))
    expect(session.adapters.last.calls.at(-1)).toBe('seek 30')
    fireEvent.click(row.getByRole('button', { name: 'Turn the sound off' }))
    expect(row.getByRole('button', { name: 'Turn the sound on' })).toBeTruthy()
  })

  test('fills the screen in landscape, until the viewer leaves the theatre view', async () => {
    holdInLandscape()
    await prepareSession().play()
    expect(findPlayer().dataset.theatre).toBe('true')
    fireEvent.click(screen.getByRole('button', { name: 'Leave theatre view' }))
    expect(findPlayer().dataset.theatre).toBeUndefined()
  })

  test('does not fill the screen when it is held upright', async () => {
    holdUpright()
    await prepareSession().play()
    expect(findPlayer().dataset.theatre).toBeUndefined()
  })
})

test('the words of a failing video on a phone are free of the banner', async () => {
  holdUpright()
  const launch = { startVideoId: 'v1', startTimestamp: 17, notificationAction: 'view' } as const
  const session = prepareSession({ playlist: makeSessionPlaylist(2, 'file'), launch })
  session.show()
  await settleScreen()
  const banner = () => screen.getByText(/^Opened from a notification/)
  expect(findPlayer().contains(banner())).toBe(true)
  act(() =>
    session.adapters.last.emit({ type: 'error', code: 2, unavailable: false, network: true, reason: 'Broken.' }),
  )
  screen.getByRole('group', { name: 'Clip 2' })
  expect(findPlayer().contains(banner())).toBe(false)
})

describe('a press on the picture', () => {
  async function playFile() {
    setMedia(() => false)
    const session = prepareSession({ playlist: makeSessionPlaylist(1, 'file') })
    await session.play()
    const video = document.createElement('video')
    findPlayer().querySelector('.host')!.append(video)
    const press = (pointerType: string) => {
      // jsdom knows no pointers.
      const down = createEvent.pointerDown(video)
      Object.defineProperty(down, 'pointerType', { value: pointerType })
      fireEvent(video, down)
      fireEvent.click(video)
    }
    return { calls: session.adapters.last.calls, press }
  }

  test('by a finger shows the controls first, and pauses when they are shown', async () => {
    stopTime()
    const { calls, press } = await playFile()
    await advance(3_100)
    expect(findPlayer().dataset.idle).toBe('true')
    press('touch')
    expect(findPlayer().dataset.idle).toBeUndefined()
    expect(calls).not.toContain('pause')
    press('touch')
    expect(calls).toContain('pause')
  })

  test('by the mouse pauses at once', async () => {
    const { calls, press } = await playFile()
    press('mouse')
    expect(calls).toContain('pause')
  })
})
