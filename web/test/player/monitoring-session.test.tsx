import './_immediate.ts'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { MantineProvider } from '@mantine/core'
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import axe from 'axe-core'
import { IDBFactory } from 'fake-indexeddb'
import {
  MonitoringSession,
  type MonitoringSessionProps,
} from '../../src/features/player/session/monitoring-session.tsx'
import { createServer, elsewhere, no, settleAll, yes } from './_answers.ts'
import { createFakeAdapters } from './_fake-adapter.ts'
import { playlistOf, statusOf } from './_session-driver.ts'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  window.matchMedia = (query: string) =>
    ({ matches: false, media: query, addEventListener() {}, removeEventListener() {} }) as unknown as MediaQueryList
  window.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  } as never
})
afterEach(() => {
  cleanup()
  window.sessionStorage.clear()
})

const nothingToResume = { ...yes, data: statusOf({ can_resume: false }) as never }
const settle = () => act(settleAll)

function open(props: Partial<MonitoringSessionProps> = {}) {
  const server = createServer()
  server.answerWith(call => (call === 'session-status' ? nothingToResume : yes))
  const adapters = createFakeAdapters()
  const onBack = jest.fn()
  const onComplete = jest.fn()
  const view = (
    <MantineProvider env="test">
      <MonitoringSession
        playlist={playlistOf(5, 'file')}
        person={{ id: 'trainee1', name: 'Trainee One', role: 'user' }}
        api={server.api}
        createAdapter={(provider, _host, listener) => adapters.create(provider, listener)}
        onBack={onBack}
        onComplete={onComplete}
        {...props}
      />
    </MantineProvider>
  )
  return {
    server,
    adapters,
    onBack,
    onComplete,
    view,
    show: () => render(view),
    async play() {
      const shown = render(view)
      await settle()
      act(() => adapters.last.emit('cued'))
      await settle()
      act(() => adapters.last.emit('playing'))
      await settle()
      return shown
    },
    async end() {
      act(() => {
        adapters.last.at = 60
        adapters.last.emit('ended')
      })
      await settle()
    },
  }
}

describe('the monitoring session on the screen', () => {
  test('without a playlist it says so and leads back', async () => {
    const session = open({ playlist: null })
    session.show()
    expect(screen.getByRole('heading', { name: 'No playlist assigned' })).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Back to Dashboard' }))
    expect(session.onBack).toHaveBeenCalledTimes(1)
  })

  test('while it checks for an earlier session it says so', () => {
    open().show()
    expect(screen.getByText('Checking for previous session...')).toBeTruthy()
    expect(screen.getByText('Your progress will be restored if available')).toBeTruthy()
  })

  test('shows the playlist, the current and next videos, and the progress', async () => {
    const session = open()
    await session.play()
    expect(screen.getByRole('heading', { level: 1, name: 'Safety' })).toBeTruthy()
    expect(screen.getByText('5m')).toBeTruthy()
    const info = within(screen.getByRole('region', { name: 'Playlist' }))
    expect(info.getByText('Now Playing').nextSibling?.textContent).toBe('Clip 1')
    expect(info.getByText('Up Next (Auto-playing)').nextSibling?.textContent).toBe('Clip 2')
    expect(info.getByText('Auto-Play Enabled')).toBeTruthy()
    expect(info.getAllByRole('listitem').map(item => item.textContent)).toEqual([
      'Clip 21:00',
      'Clip 31:00',
      'Clip 41:00',
    ])
    expect(screen.getByText('0% complete · 0 of 5 minutes watched')).toBeTruthy()
    await session.end()
    expect(screen.getByText('20% complete · 1 of 5 minutes watched')).toBeTruthy()
  })

  test('the control bar plays, pauses, seeks and skips', async () => {
    const session = open()
    await session.play()
    const player = within(screen.getByRole('region', { name: 'Player' }))
    expect(player.getByText('0:00 / 1:00')).toBeTruthy()
    expect(player.getByText('1 / 5', { exact: false }).textContent).toBe('Video 1 / 5')
    const bar = player.getByRole('slider', { name: 'Position in the video' })
    act(() => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(bar, '30')
      bar.dispatchEvent(new Event('change', { bubbles: true }))
    })
    expect(session.adapters.last.calls).toContain('seek 30')
    expect(player.getByText('0:30 / 1:00')).toBeTruthy()
    await userEvent.click(player.getByRole('button', { name: 'Pause' }))
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    await userEvent.click(player.getByRole('button', { name: 'Play' }))
    await userEvent.click(player.getByRole('button', { name: 'Skip to next video' }))
    expect(session.adapters.last.calls.at(-1)).toBe('load v1@0')
  })

  test('keys work where the focus is in the player', async () => {
    const session = open({ comments: () => <textarea aria-label="Comment" /> })
    await session.play()
    const player = screen.getByRole('region', { name: 'Player' })
    session.adapters.last.at = 20
    fireEvent.keyDown(player, { key: 'ArrowRight' })
    expect(session.adapters.last.calls.at(-1)).toBe('seek 25')
    fireEvent.keyDown(player, { key: 'ArrowLeft' })
    expect(session.adapters.last.calls.at(-1)).toBe('seek 20')
    const count = session.adapters.last.calls.length
    fireEvent.keyDown(screen.getByLabelText('Comment'), { key: ' ' })
    fireEvent.keyDown(within(player).getByRole('button', { name: 'Pause' }), { key: ' ' })
    expect(session.adapters.last.calls).toHaveLength(count)
    fireEvent.keyDown(player, { key: 'k' })
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
  })

  test('blocks the context menu, F11, F5 and Ctrl with w, t, n and r, on this screen only', async () => {
    const { unmount } = open().show()
    const menu = () => fireEvent.contextMenu(document.body)
    const keys = [
      { key: 'F11' },
      { key: 'F5' },
      ...['w', 't', 'n', 'R'].map(key => ({ key, ctrlKey: true })),
      { key: 'w', metaKey: true },
    ]
    // fireEvent answers false if the default was prevented.
    expect(menu()).toBe(false)
    for (const key of keys) expect(fireEvent.keyDown(document.body, key)).toBe(false)
    for (const key of [{ key: 'w' }, { key: 'c', ctrlKey: true }, { key: 'F1' }])
      expect(fireEvent.keyDown(document.body, key)).toBe(true)
    unmount()
    expect(menu()).toBe(true)
    for (const key of keys) expect(fireEvent.keyDown(document.body, key)).toBe(true)
  })

  test('a resumed session says so in green', async () => {
    const session = open()
    session.server.answerWith(call => (call === 'session-status' ? { ...yes, data: statusOf() as never } : yes))
    session.show()
    await settle()
    const banner = screen.getByText('Resuming from previous session - Your progress has been restored')
    expect(banner.closest('[data-banner]')!.getAttribute('data-banner')).toBe('resumed')
    expect(session.adapters.last.calls).toEqual(['load v1@25'])
    await userEvent.click(screen.getByRole('button', { name: 'Close this message' }))
    expect(screen.queryByText(/Resuming/)).toBeNull()
  })

  test.each([
    ['approved', 'Opened from an approved notification - Starting at 0:17'],
    ['view', 'Opened from a notification - Starting at 0:17'],
  ] as const)('an arrival from a notification (%s) says so', async (notificationAction, text) => {
    const session = open({ launch: { startVideoId: 'v2', startTimestamp: 17, notificationAction } })
    session.show()
    await settle()
    expect(screen.getByText(text)).toBeTruthy()
    expect(session.adapters.last.calls).toEqual(['load v2@17'])
    expect(session.server.calls()).not.toContain('session-status')
  })

  test('the countdown names the next video and stands in the place of the picture', async () => {
    const session = open({ playlist: playlistOf(3) })
    await session.play()
    await session.end()
    const player = screen.getByRole('region', { name: 'Player' })
    expect(within(player).getByText('Next Video Starting...')).toBeTruthy()
    expect(within(player).getByText('Clip 2')).toBeTruthy()
    expect(within(player).getByText('Video 2 of 3')).toBeTruthy()
    expect(player.querySelector('[data-hidden]')).toBeTruthy()
  })

  test('nothing ever lies over YouTube’s player', async () => {
    const session = open({ playlist: playlistOf(2) })
    await session.play()
    const picture = screen.getByRole('region', { name: 'Player' }).firstElementChild!
    expect(picture.children).toHaveLength(1)
    expect(picture.contains(screen.getByRole('slider'))).toBe(false)
  })

  test('the end of the last video congratulates, and then calls back', async () => {
    const session = open({ playlist: playlistOf(1, 'file') })
    await session.play()
    expect(screen.queryByRole('alertdialog')).toBeNull()
    await session.end()
    const dialog = screen.getByRole('alertdialog', { name: 'Congratulations!' })
    expect(dialog.textContent).toContain('“Safety”')
    expect(session.onComplete).not.toHaveBeenCalled()
    await userEvent.click(within(dialog).getByRole('button', { name: 'Back to Dashboard' }))
    expect(session.onComplete).toHaveBeenCalledTimes(1)
    const reports = session.server.received.filter(call => call.call === 'track').map(call => call.body)
    expect(reports.at(-1)).toMatchObject({ event_type: 'playlist_completed' })
  })

  test('a task whose assignment is withdrawn during the session says so and leads back', async () => {
    const session = open()
    session.server.answerWith(call =>
      call === 'session-status' ? nothingToResume : no(404, { code: 'not_found', detail: 'Not found.' }),
    )
    session.show()
    await settle()
    expect(screen.getByRole('heading', { name: 'This task is no longer assigned' })).toBeTruthy()
    expect(screen.getByText(/What you have watched so far is kept/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Continue here' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull()
    await userEvent.click(within(screen.getByLabelText('Player')).getByRole('button', { name: 'Back to Dashboard' }))
    expect(session.onBack).toHaveBeenCalledTimes(1)
  })

  test('watching elsewhere pauses and offers to continue here', async () => {
    const session = open()
    session.server.answerWith((call, body) => {
      if (call === 'session-status') return nothingToResume
      return (body as { take_over?: boolean } | undefined)?.take_over ? yes : elsewhere
    })
    session.show()
    await settle()
    expect(screen.getByText('You are watching this elsewhere')).toBeTruthy()
    session.server.answerWith(call => (call === 'session-status' ? nothingToResume : yes))
    await userEvent.click(screen.getByRole('button', { name: 'Continue here' }))
    await settle()
    expect(screen.queryByText('You are watching this elsewhere')).toBeNull()
    expect(session.server.received.map(call => call.body)).toContainEqual(expect.objectContaining({ take_over: true }))
  })

  test('a hidden page pauses and says why', async () => {
    const session = open()
    await session.play()
    const visibility = jest.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    act(() => void document.dispatchEvent(new Event('visibilitychange')))
    visibility.mockReturnValue('visible')
    act(() => void document.dispatchEvent(new Event('visibilitychange')))
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    expect(screen.getByText(/Paused while hidden/)).toBeTruthy()
    visibility.mockRestore()
  })

  test('a browser that refuses to start asks for a press', async () => {
    const session = open()
    session.show()
    await settle()
    act(() => session.adapters.last.emit('cued'))
    await settle()
    act(() => session.adapters.last.emit('blocked'))
    expect(screen.getByText(/Press play to start/)).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Play' }))
    expect(session.adapters.last.calls.at(-1)).toBe('play')
  })

  test('offline it says that nothing is lost', async () => {
    const session = open()
    await session.play()
    session.server.answerWith(() => no(0))
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }))
    await settle()
    expect(screen.getByText(/You are offline\. Nothing is lost: 3 reports are kept/)).toBeTruthy()
  })

  test('regions beside the player know the video and can seek', async () => {
    const session = open({
      comments: at => (
        <button type="button" onClick={() => at.seek(42)}>
          {at.videoId}
        </button>
      ),
      commentBadge: () => <span>7 comments</span>,
    })
    await session.play()
    expect(screen.getByText('7 comments')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'v0' }))
    expect(session.adapters.last.calls).toContain('seek 42')
  })

  test('on a phone the regions are tabs', async () => {
    window.matchMedia = (query: string) =>
      ({
        matches: query.includes('max-width'),
        media: query,
        addEventListener() {},
        removeEventListener() {},
      }) as unknown as MediaQueryList
    const session = open({ comments: () => <p>Words</p> })
    await session.play()
    await userEvent.click(screen.getByRole('tab', { name: 'Comments' }))
    expect(screen.getByRole('tabpanel', { name: 'Comments' }).textContent).toBe('Words')
  })

  test('leaving the screen gives the lock back', async () => {
    const session = open()
    const { unmount } = await session.play()
    unmount()
    await settleAll()
    expect(session.server.received.filter(call => call.call === 'monitoring').at(-1)!.body).toMatchObject({
      is_monitoring: false,
    })
    expect(session.adapters.last.calls.at(-1)).toBe('destroy')
  })

  test('axe finds nothing, while playing, counting down and done', async () => {
    const session = open({ playlist: playlistOf(2, 'file') })
    const { container } = await session.play()
    const check = async () => {
      // jsdom renders nothing, so the browser tests check contrast.
      const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    }
    await check()
    await session.end()
    await check()
    await userEvent.click(screen.getByRole('button', { name: 'Skip to next video' }))
    act(() => session.adapters.last.emit('cued'))
    await settle()
    act(() => session.adapters.last.emit('playing'))
    await session.end()
    await check()
  })
})
