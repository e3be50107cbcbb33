import './_immediate.ts'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import axe from 'axe-core'
import { IDBFactory } from 'fake-indexeddb'
import { readPlayerSettings } from '../../src/features/player/controls/player-settings.ts'
import { openChat } from '../../src/ui/frame/frame-commands.ts'
import { advance, stopTime } from '../support/manual-time.ts'
import { elsewhereAnswer, makeFailure, okAnswer, settleAll } from './_answers.ts'
import { makeSessionPlaylist, makeSessionStatus } from './_session-driver.ts'
import { nothingToResume, prepareSession, setMedia, settleScreen } from './_session-screen.tsx'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  setMedia(() => false)
  window.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  } as never
})
afterEach(() => {
  cleanup()
  window.sessionStorage.clear()
  window.localStorage.clear()
})

const mixedPlaylist = makeSessionPlaylist(2, 'file', {
  videos: [makeSessionPlaylist(1, 'file').videos[0]!, makeSessionPlaylist(2).videos[1]!],
})
describe('the screen of a monitored session', () => {
  test('explains a missing playlist and leads back', async () => {
    const session = prepareSession({ playlist: null })
    session.show()
    expect(screen.getByRole('heading', { name: 'No playlist assigned' })).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Back to Dashboard' }))
    expect(session.onBack).toHaveBeenCalledTimes(1)
  })

  test('shows that it checks for an earlier session', () => {
    prepareSession().show()
    expect(screen.getByText('Checking for previous session...')).toBeTruthy()
    expect(screen.getByText('Your progress will be restored if available')).toBeTruthy()
  })

  test('shows the playlist, the current and next videos, and the credited share', async () => {
    const session = prepareSession({
      progress: <p>20% credited</p>,
      renderVideos: (videos, label) => <p data-testid={label}>{videos.map(({ number }) => number).join()}</p>,
    })
    await session.play()
    expect(screen.getByRole('heading', { level: 1, name: 'Safety' })).toBeTruthy()
    expect(screen.getByText('Total duration: 5m')).toBeTruthy()
    const info = within(screen.getByRole('region', { name: 'Playlist' }))
    expect(info.getByText('Now Playing').nextSibling?.textContent).toBe('Clip 1')
    expect(info.getByText('Up Next (Auto-playing)').nextSibling?.textContent).toBe('Clip 2')
    expect(info.getByText('Auto-Play Enabled').parentElement?.textContent).toBe(
      'Auto-Play Enabled: the next video starts automatically 3 seconds after this one.',
    )
    expect(info.getByTestId('Up Next').textContent).toBe('2,3,4')
    expect(info.queryByTestId('All videos')).toBeNull()
    await userEvent.click(info.getByRole('button', { name: 'Show all 5 videos' }))
    expect(info.getByTestId('All videos').textContent).toBe('1,2,3,4,5')
    expect(info.queryByTestId('Up Next')).toBeNull()
    await userEvent.click(info.getByRole('button', { name: 'Show what is next' }))
    expect(info.getByTestId('Up Next').textContent).toBe('2,3,4')
    expect(info.getByText('20% credited')).toBeTruthy()
  })

  test('has a control bar that plays, pauses, seeks and skips', async () => {
    const session = prepareSession()
    await session.play()
    const player = within(screen.getByRole('region', { name: 'Player' }))
    expect(player.getByText('0:00 / 1:00')).toBeTruthy()
    expect(player.getByText('1 / 5', { exact: false }).textContent).toBe('Video 1 / 5')
    const slider = player.getByRole('slider', { name: 'Position in the video' })
    act(() => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(slider, '30')
      slider.dispatchEvent(new Event('change', { bubbles: true }))
    })
    expect(session.adapters.last.calls).toContain('seek 30')
    expect(player.getByText('0:30 / 1:00')).toBeTruthy()
    await userEvent.click(player.getByRole('button', { name: 'Pause' }))
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    await userEvent.click(player.getByRole('button', { name: 'Play' }))
    await userEvent.click(player.getByRole('button', { name: 'Skip to next video' }))
    expect(session.adapters.last.calls.at(-1)).toBe('load v1@0')
  })

  test('shows the time under a pointer on the seek bar, and under a mouse a picture of it', async () => {
    const session = prepareSession()
    await session.play()
    const slider = screen.getByRole('slider', { name: 'Position in the video' })
    slider.getBoundingClientRect = () => new DOMRect(0, 0, 120, 32)
    const pointAt = (clientX: number, pointerType: string) =>
      fireEvent(slider, Object.assign(new MouseEvent('pointermove', { bubbles: true, clientX }), { pointerType }))
    pointAt(30, 'touch')
    expect(slider.parentElement!.textContent).toContain('0:15')
    expect(slider.parentElement!.querySelector('video')).toBeNull()
    pointAt(60, 'mouse')
    expect(slider.parentElement!.textContent).toContain('0:30')
    const preview = slider.parentElement!.querySelector('video')!
    expect(preview.getAttribute('src')).toBe('/clips/v0.webm')
    fireEvent(preview, new Event('loadedmetadata'))
    expect(preview.currentTime).toBe(30)
    expect(preview.dataset.ready).toBeUndefined()
    fireEvent(preview, new Event('seeked'))
    expect(preview.dataset.ready).toBe('true')
    fireEvent.pointerOut(slider)
    expect(slider.parentElement!.querySelector('video')).toBeNull()
    expect(session.adapters.last.calls.some(call => call.startsWith('seek'))).toBe(false)
  })

  test('reacts to keys while the focus is in the player', async () => {
    const session = prepareSession({ comments: () => <textarea aria-label="Comment" /> })
    await session.play()
    const player = screen.getByRole('region', { name: 'Player' })
    session.adapters.last.currentTime = 20
    fireEvent.keyDown(player, { key: 'ArrowRight' })
    expect(session.adapters.last.calls.at(-1)).toBe('seek 25')
    fireEvent.keyDown(player, { key: 'ArrowLeft' })
    expect(session.adapters.last.calls.at(-1)).toBe('seek 20')
    const callsBefore = session.adapters.last.calls.length
    fireEvent.keyDown(screen.getByLabelText('Comment'), { key: ' ' })
    fireEvent.keyDown(within(player).getByRole('button', { name: 'Pause' }), { key: ' ' })
    fireEvent.keyDown(screen.getByRole('button', { name: 'Back to Dashboard' }), { key: 'k' })
    expect(session.adapters.last.calls).toHaveLength(callsBefore)
    fireEvent.keyDown(document.body, { key: 'j' })
    expect(session.adapters.last.calls.at(-1)).toBe('seek 10')
    session.adapters.last.currentTime = 55
    fireEvent.keyDown(document.body, { key: 'l' })
    expect(session.adapters.last.calls.at(-1)).toBe('seek 60')
    fireEvent.keyDown(player, { key: 'k' })
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    fireEvent.keyDown(player, { key: 'N', shiftKey: true })
    expect(session.adapters.last.calls.at(-1)).toBe('load v1@0')
  })

  test('changes the volume by arrow keys in the player, and leaves them to the page elsewhere', async () => {
    const session = prepareSession()
    await session.play()
    const player = screen.getByRole('region', { name: 'Player' })
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp']) fireEvent.keyDown(player, { key })
    expect(session.adapters.last.sound).toBe('90%')
    for (let step = 0; step < 4; step += 1) fireEvent.keyDown(player, { key: 'ArrowUp' })
    expect(session.adapters.last.sound).toBe('100%')
    expect(fireEvent.keyDown(document.body, { key: 'ArrowDown' })).toBe(true)
    expect(session.adapters.last.sound).toBe('100%')
    fireEvent.keyDown(player, { key: 'm' })
    expect(session.adapters.last.sound).toBe('off')
    fireEvent.keyDown(player, { key: 'ArrowUp' })
    expect(session.adapters.last.sound).toBe('5%')
  })

  test('lists the shortcuts, and ignores them once they are switched off', async () => {
    const session = prepareSession()
    await session.play()
    const player = screen.getByRole('region', { name: 'Player' })
    expect(screen.getByRole('button', { name: 'Pause' }).title).toBe('Pause (K)')
    fireEvent.keyDown(player, { key: '?' })
    const help = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }))
    expect(help.getByRole('row', { name: 'J Back 10 seconds' })).toBeTruthy()
    await userEvent.click(help.getByRole('switch', { name: 'Use keyboard shortcuts in the player' }))
    await userEvent.click(help.getByRole('button', { name: 'Close' }))
    const callsBefore = session.adapters.last.calls.length
    for (const key of ['k', 'j', 'ArrowRight', '?']) fireEvent.keyDown(player, { key })
    expect(session.adapters.last.calls).toHaveLength(callsBefore)
    expect(screen.getByRole('button', { name: 'Pause' }).title).toBe('Pause')
    expect(readPlayerSettings().shortcuts).toBe(false)
  })

  test('changes the loudness, also of later videos, and remembers it', async () => {
    const session = prepareSession({ playlist: mixedPlaylist })
    await session.play()
    expect(session.adapters.last.sound).toBe('100%')
    fireEvent.change(screen.getByRole('slider', { name: 'Volume' }), { target: { value: '0.5' } })
    expect(session.adapters.last.sound).toBe('50%')
    fireEvent.keyDown(document.body, { key: 'm' })
    expect(session.adapters.last.sound).toBe('off')
    await userEvent.click(screen.getByRole('button', { name: 'Turn the sound on' }))
    await userEvent.click(screen.getByRole('button', { name: 'Skip to next video' }))
    expect(session.adapters.created.map(({ provider, sound }) => `${provider} ${sound}`)).toEqual([
      'file 50%',
      'youtube 50%',
    ])
    expect(readPlayerSettings()).toMatchObject({ volume: 0.5, muted: false })
  })

  test('shows the speed that the video plays at if the player refuses the chosen one', async () => {
    stopTime()
    const session = prepareSession({ maxRate: 2 })
    await session.play()
    const speed = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Playback speed' })
    session.adapters.last.setRate = () => {}
    fireEvent.change(speed, { target: { value: '2' } })
    expect(speed.value).toBe('2')
    await advance(2_000)
    expect(speed.value).toBe('1')
  })

  test('offers the speeds that are credited, by list and keys, and remembers the choice', async () => {
    const session = prepareSession({ maxRate: 1.25 })
    await session.play()
    const speed = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Playback speed' })
    expect(Array.from(speed.options, option => option.text)).toEqual([
      '0.5×',
      '0.75×',
      '1×',
      '1.25×',
      'Faster playback would not be credited',
    ])
    await userEvent.selectOptions(speed, '0.75×')
    expect(session.adapters.last.currentRate).toBe(0.75)
    const player = screen.getByRole('region', { name: 'Player' })
    for (const key of ['>', '>', '>', '<', '>']) fireEvent.keyDown(player, { key })
    expect([session.adapters.last.currentRate, speed.value]).toEqual([1.25, '1.25'])
    expect(readPlayerSettings().rate).toBe(1.25)
  })

  test('shows captions by button, key and list of languages, and remembers the choice', async () => {
    const session = prepareSession()
    await session.play()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'This video has no captions' }).disabled).toBe(true)
    const loadCaptions = (languages: string[]) =>
      act(() =>
        session.adapters.last.captions.set({
          available: true,
          languages,
          language: 'en',
          transcript: [{ start: 12, end: 15, text: 'Wear your badge' }],
          descriptions: [{ start: 0, end: 9, text: 'A door opens.' }],
        }),
      )
    loadCaptions(['en'])
    const captions = screen.getByRole('button', { name: 'Captions' })
    expect(captions.getAttribute('aria-pressed')).toBe('false')
    await userEvent.click(captions)
    expect([session.adapters.last.captionChoice, captions.getAttribute('aria-pressed')]).toEqual(['on', 'true'])
    fireEvent.keyDown(document.body, { key: 'c' })
    expect(session.adapters.last.captionChoice).toBe('off')
    loadCaptions(['en', 'de'])
    const language = screen.getByRole('combobox', { name: 'Captions' })
    await userEvent.selectOptions(language, 'Deutsch')
    expect(session.adapters.last.captionChoice).toBe('de')
    expect(readPlayerSettings()).toMatchObject({ captions: true, captionLanguage: 'de' })
    await userEvent.selectOptions(language, 'Off')
    expect(readPlayerSettings()).toMatchObject({ captions: false, captionLanguage: 'de' })
    const description = screen.getByText('A door opens.')
    expect(description.className).toBe('wl-hidden')
    await userEvent.click(screen.getByRole('button', { name: 'Audio descriptions as text' }))
    expect(description.className).not.toBe('wl-hidden')
    await userEvent.click(within(screen.getByRole('region', { name: 'Transcript' })).getByText('Wear your badge'))
    expect(session.adapters.last.calls.at(-1)).toBe('seek 12')
  })

  test('explains once why some keys do nothing', async () => {
    const session = prepareSession()
    const { unmount } = await session.play()
    const explanation = () => screen.queryByText(/the keys to reload, close or open tabs are off/)
    expect(explanation()).toBeNull()
    fireEvent.keyDown(document.body, { key: 'F5' })
    expect(explanation()).toBeTruthy()
    unmount()
    const again = await prepareSession().play()
    fireEvent.keyDown(document.body, { key: 'F5' })
    expect(explanation()).toBeNull()
    again.unmount()
    // Another person at the same browser has not been told.
    await prepareSession({ person: { id: 'trainee2', name: 'Trainee Two', role: 'user' } }).play()
    fireEvent.keyDown(document.body, { key: 'F5' })
    expect(explanation()).toBeTruthy()
  })

  test('blocks the context menu, F11, F5 and Ctrl with w, t, n and r, only while it is open', async () => {
    const { unmount } = prepareSession().show()
    const openContextMenu = () => fireEvent.contextMenu(document.body)
    const keys = [{ key: 'F11' }, { key: 'F5' }, ...['w', 't', 'n', 'R'].map(key => ({ key, ctrlKey: true }))]
    const others = [
      { key: 'w' },
      { key: 'c', ctrlKey: true },
      { key: 'F1' },
      { key: 'w', metaKey: true },
      { key: 'r', ctrlKey: true, shiftKey: true },
    ]
    // fireEvent answers false if the default was prevented.
    expect(openContextMenu()).toBe(false)
    for (const key of keys) expect(fireEvent.keyDown(document.body, key)).toBe(false)
    for (const key of others) expect(fireEvent.keyDown(document.body, key)).toBe(true)
    unmount()
    expect(openContextMenu()).toBe(true)
    for (const key of keys) expect(fireEvent.keyDown(document.body, key)).toBe(true)
  })

  test('shows a green banner when a session is resumed', async () => {
    const session = prepareSession()
    session.server.answerWith(call =>
      call === 'session-status' ? { ...okAnswer, data: makeSessionStatus() as never } : okAnswer,
    )
    session.show()
    await settleScreen()
    const banner = screen.getByText('Resuming from previous session - Your progress has been restored')
    expect(banner.closest('[data-banner]')!.getAttribute('data-banner')).toBe('resumed')
    expect(session.adapters.last.calls).toEqual(['load v1@25'])
    await userEvent.click(screen.getByRole('button', { name: 'Close this message' }))
    expect(screen.queryByText(/Resuming/)).toBeNull()
  })

  test.each([
    ['approved', 'Opened from an approved notification - Starting at 0:17'],
    ['view', 'Opened from a notification - Starting at 0:17'],
  ] as const)('shows a banner for a launch from a notification (%s)', async (notificationAction, text) => {
    const session = prepareSession({ launch: { startVideoId: 'v2', startTimestamp: 17, notificationAction } })
    session.show()
    await settleScreen()
    expect(screen.getByText(text)).toBeTruthy()
    expect(session.adapters.last.calls).toEqual(['load v2@17'])
    expect(session.server.calls()).not.toContain('session-status')
  })

  test('shows the next video’s name in a countdown instead of the picture', async () => {
    const session = prepareSession({ playlist: makeSessionPlaylist(3) })
    await session.play()
    await session.end()
    const player = screen.getByRole('region', { name: 'Player' })
    expect(within(player).getByText('Next Video Starting...')).toBeTruthy()
    expect(within(player).getByText('Clip 2')).toBeTruthy()
    expect(within(player).getByText('Video 2 of 3')).toBeTruthy()
    expect(player.querySelector('[data-hidden]')).toBeTruthy()
    await userEvent.click(within(player).getByRole('button', { name: 'Play now' }))
    expect(session.adapters.last.calls.at(-1)).toBe('load v1@0')
  })

  test('cancels the countdown on request, and when the person writes', async () => {
    stopTime()
    const session = prepareSession({ comments: () => <textarea aria-label="Comment" /> })
    await session.play()
    await session.end()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByText('Next Video Starting...')).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Play' }))
    expect(screen.getByText('Next Video Starting...')).toBeTruthy()
    fireEvent.input(screen.getByLabelText('Comment'), { target: { value: 'Y' } })
    expect(screen.queryByText('Next Video Starting...')).toBeNull()
    expect(session.adapters.last.calls.some(call => call.startsWith('load v1'))).toBe(false)
  })

  test('offers to try again or to skip while a video cannot be reached', async () => {
    const session = prepareSession({ playlist: makeSessionPlaylist(2, 'file') })
    session.show()
    await settleScreen()
    const fail = () =>
      act(() =>
        session.adapters.last.emit({
          type: 'error',
          code: 2,
          unavailable: false,
          network: true,
          reason: 'No network.',
        }),
      )
    fail()
    const panel = within(screen.getByRole('group', { name: 'Clip 1' }))
    expect(screen.getByText(/Can’t reach the video/)).toBeTruthy()
    await userEvent.click(panel.getByRole('button', { name: 'Try Again' }))
    expect(session.adapters.last.calls.filter(call => call === 'load v0@0')).toHaveLength(2)
    fail()
    await userEvent.click(screen.getByRole('button', { name: 'Skip this video' }))
    expect(session.adapters.last.calls.at(-1)).toBe('load v1@0')
    expect(screen.queryByRole('group', { name: 'Clip 1' })).toBeNull()
  })

  const failLoad = (session: ReturnType<typeof prepareSession>, network: boolean) =>
    act(() => session.adapters.last.emit({ type: 'error', code: 2, unavailable: false, network, reason: 'Broken.' }))

  test('says when an unreachable video is tried again, and until when', async () => {
    stopTime()
    const session = prepareSession({ playlist: makeSessionPlaylist(2, 'file') })
    session.show()
    await settleScreen()
    for (let attempt = 0; attempt < 6; attempt += 1) {
      failLoad(session, true)
      expect(screen.getByText(/^Next try in \d+ seconds?$/)).toBeTruthy()
      expect(screen.getByText(/tries again at least every 40 seconds, and the video goes on/)).toBeTruthy()
      await advance(37_500)
      expect(session.adapters.last.calls.filter(call => call === 'load v0@0')).toHaveLength(attempt + 2)
    }
  })

  test('says that a failing video is tried once more, before the next one starts', async () => {
    const session = prepareSession({ playlist: makeSessionPlaylist(2, 'file') })
    session.show()
    await settleScreen()
    failLoad(session, false)
    expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Play' }).hasAttribute('disabled')).toBe(true)
    expect(screen.getByText('If this try fails, too, the video is left out and the next one starts.')).toBeTruthy()
    expect(screen.getByText('The video could not be loaded. Trying once more; your progress is saved.')).toBeTruthy()
    failLoad(session, false)
    expect(screen.getByText('Next Video Starting...')).toBeTruthy()
  })

  test('leads back from a failing last video, and writes to the supervisor what happened', async () => {
    const supervisor = { id: 'supervisor1', name: 'Supervisor One', email: 'supervisor1@example.org', picture: null }
    const opened = jest.fn()
    const unsubscribe = openChat.subscribe(opened)
    const session = prepareSession({
      playlist: makeSessionPlaylist(1, 'file'),
      person: { id: 'trainee1', name: 'Trainee One', role: 'user', supervisor },
    })
    session.show()
    await settleScreen()
    failLoad(session, true)
    const panel = within(screen.getByRole('group', { name: 'Clip 1' }))
    expect(panel.getByRole('button', { name: 'Try Again' })).toBeTruthy()
    expect(panel.queryByRole('button', { name: 'Skip this video' })).toBeNull()
    fireEvent.click(panel.getByRole('button', { name: 'Tell my supervisor' }))
    unsubscribe()
    expect(opened.mock.calls).toEqual([
      [
        {
          other: { ...supervisor, role: 'supervisor' },
          chat_type: 'user_supervisor',
          draft: 'The video “Clip 1” of “Safety” does not load for me. Can you help me?',
        },
      ],
    ])
    fireEvent.click(panel.getByRole('button', { name: 'Back to Dashboard' }))
    expect(session.onBack).toHaveBeenCalledTimes(1)
  })

  test('names the way back from a failing video like the button above it', async () => {
    const session = prepareSession({ playlist: makeSessionPlaylist(1, 'file'), backLabel: 'Exit' })
    session.show()
    await settleScreen()
    failLoad(session, true)
    expect(screen.getAllByRole('button', { name: 'Exit' })).toHaveLength(2)
    expect(screen.queryByRole('button', { name: 'Back to Dashboard' })).toBeNull()
  })

  test('shows the player’s own time while it plays', async () => {
    const session = prepareSession({ seekStrip: ({ videoId }) => <p>Strip of {videoId}</p> })
    await session.play()
    session.adapters.last.currentTime = 7.9
    expect(await screen.findByText('0:07 / 1:00')).toBeTruthy()
    expect(screen.getByText('Strip of v0')).toBeTruthy()
  })

  test('fills the window in theatre view, until Escape or until the focus leaves', async () => {
    const session = prepareSession()
    await session.play()
    const player = screen.getByRole('region', { name: 'Player' })
    const enter = () => userEvent.click(screen.getByRole('button', { name: 'Theatre view' }))
    await enter()
    expect(player.dataset.theatre).toBe('true')
    fireEvent.keyDown(player, { key: 'Escape' })
    expect(player.dataset.theatre).toBeUndefined()
    await enter()
    act(() => screen.getByRole('button', { name: 'Back to Dashboard' }).focus())
    expect(player.dataset.theatre).toBeUndefined()
  })

  test('keeps the texts of the card beside the last video', async () => {
    const session = prepareSession({
      playlist: makeSessionPlaylist(2, 'file'),
      launch: { startVideoId: 'v1' },
      renderVideos: (videos, label) => <p data-testid={label}>{videos.length}</p>,
    })
    await session.play()
    const info = within(screen.getByRole('region', { name: 'Playlist' }))
    expect(info.getByText('Up Next (Auto-playing)').nextSibling?.textContent).toBe('No further video')
    expect(info.getByText('Auto-Play Enabled').parentElement?.textContent).toBe(
      'Auto-Play Enabled: this is the last video, so nothing starts automatically after it.',
    )
    expect(info.getByText(/No videos follow/)).toBeTruthy()
    await userEvent.click(info.getByRole('button', { name: 'Show all 2 videos' }))
    expect(info.getByTestId('All videos').textContent).toBe('2')
  })

  test('puts nothing over YouTube’s player', async () => {
    const session = prepareSession({ playlist: makeSessionPlaylist(2) })
    await session.play()
    const picture = screen.getByRole('region', { name: 'Player' }).firstElementChild!
    expect(picture.children).toHaveLength(1)
    expect(picture.contains(screen.getByRole('slider', { name: 'Position in the video' }))).toBe(false)
  })

  test('reports the end of the playlist, and plays a missing part from there', async () => {
    const session = prepareSession({
      playlist: makeSessionPlaylist(2, 'file'),
      launch: { startVideoId: 'v1' },
      wrap: ({ playlistEnded, goTo, finish }, content) => (
        <>
          {content}
          {playlistEnded ? <p>The end</p> : null}
          <button type="button" onClick={() => goTo('v0', 12)}>
            Watch the gap
          </button>
          <button type="button" onClick={finish}>
            Finish
          </button>
        </>
      ),
    })
    await session.play()
    expect(screen.queryByText('The end')).toBeNull()
    await session.end()
    expect(screen.getByText('The end')).toBeTruthy()
    const reports = () => session.server.received.filter(call => call.call === 'track').map(call => call.body)
    expect(reports().at(-1)).toMatchObject({ event_type: 'playlist_completed' })

    await userEvent.click(screen.getByRole('button', { name: 'Watch the gap' }))
    await settleScreen()
    expect(screen.queryByText('The end')).toBeNull()
    expect(session.adapters.last.calls.at(-1)).toBe('load v0@12')
    act(() => session.adapters.last.emit('cued'))
    await settleScreen()
    act(() => session.adapters.last.emit('playing'))
    await settleScreen()
    expect(reports().at(-1)).toMatchObject({ event_type: 'play', video_id: 'v0', watch_time: 12 })

    await userEvent.click(screen.getByRole('button', { name: 'Finish' }))
    await settleScreen()
    expect(screen.getByText('The end')).toBeTruthy()
    expect(reports().slice(-2)).toMatchObject([{ event_type: 'pause' }, { event_type: 'playlist_completed' }])
    expect(session.server.received.filter(call => call.call === 'monitoring').at(-1)!.body).toMatchObject({
      is_monitoring: false,
    })
  })

  test('explains a withdrawn assignment and leads back', async () => {
    const session = prepareSession()
    session.server.answerWith(call =>
      call === 'session-status' ? nothingToResume : makeFailure(404, { code: 'not_found', detail: 'Not found.' }),
    )
    session.show()
    await settleScreen()
    expect(screen.getByRole('heading', { name: 'This task is no longer assigned' })).toBeTruthy()
    expect(screen.getByText(/What you have watched so far is kept/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Continue here' })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull()
    await userEvent.click(within(screen.getByLabelText('Player')).getByRole('button', { name: 'Back to Dashboard' }))
    expect(session.onBack).toHaveBeenCalledTimes(1)
  })

  test('explains a playlist that was edited meanwhile, and loads it again', async () => {
    const session = prepareSession()
    await session.play()
    session.server.answerWith(call =>
      call === 'monitoring' ? makeFailure(422, { code: 'invalid', detail: 'current_video_id is unknown' }) : okAnswer,
    )
    await userEvent.click(screen.getByRole('button', { name: 'Skip to next video' }))
    await settleScreen()
    expect(screen.getByText('This playlist has changed')).toBeTruthy()
    expect(screen.getByText('Load it again to go on. What you have watched so far is kept.')).toBeTruthy()
    expect(screen.queryByText(/current_video_id/)).toBeNull()
    expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Load again' }))
    expect(session.onReload).toHaveBeenCalledTimes(1)
  })

  test('pauses while the person watches elsewhere, and offers to continue here', async () => {
    const session = prepareSession()
    session.server.answerWith((call, body) => {
      if (call === 'session-status') return nothingToResume
      return (body as { take_over?: boolean } | undefined)?.take_over ? okAnswer : elsewhereAnswer
    })
    session.show()
    await settleScreen()
    expect(screen.getByText('You are watching this elsewhere')).toBeTruthy()
    session.server.answerWith(call => (call === 'session-status' ? nothingToResume : okAnswer))
    await userEvent.click(screen.getByRole('button', { name: 'Continue here' }))
    await settleScreen()
    expect(screen.queryByText('You are watching this elsewhere')).toBeNull()
    expect(session.server.received.map(call => call.body)).toContainEqual(expect.objectContaining({ take_over: true }))
  })

  test('pauses while the page is hidden, and explains it', async () => {
    const session = prepareSession()
    await session.play()
    const visibility = jest.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    act(() => void document.dispatchEvent(new Event('visibilitychange')))
    visibility.mockReturnValue('visible')
    act(() => void document.dispatchEvent(new Event('visibilitychange')))
    expect(session.adapters.last.calls.at(-1)).toBe('pause')
    expect(screen.getByText(/Paused while hidden/)).toBeTruthy()
    visibility.mockRestore()
  })

  test('asks for a press if the browser refuses to start', async () => {
    const session = prepareSession()
    session.show()
    await settleScreen()
    act(() => session.adapters.last.emit('cued'))
    await settleScreen()
    act(() => session.adapters.last.emit('blocked'))
    expect(screen.getByText(/Press play to start/)).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Play' }))
    expect(session.adapters.last.calls.at(-1)).toBe('play')
  })

  test('says without a network that nothing is lost', async () => {
    const session = prepareSession()
    await session.play()
    session.server.answerWith(() => makeFailure(0))
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }))
    await settleScreen()
    expect(screen.getByText(/You are offline\. Nothing is lost: your watch time is saved/)).toBeTruthy()
  })

  test('passes the video and a seek function to the regions beside the player', async () => {
    const session = prepareSession({
      comments: region => (
        <button type="button" onClick={() => region.seek(42)}>
          {region.videoId}
        </button>
      ),
      commentBadge: () => <span>7 comments</span>,
    })
    await session.play()
    expect(screen.getByText('7 comments')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'v0' }))
    expect(session.adapters.last.calls).toContain('seek 42')
  })

  test('shows the regions as tabs on a phone', async () => {
    setMedia(query => query.includes('max-width'))
    const session = prepareSession({ comments: () => <p>Words</p> })
    await session.play()
    await userEvent.click(screen.getByRole('tab', { name: 'Comments' }))
    expect(screen.getByRole('tabpanel', { name: 'Comments' }).textContent).toBe('Words')
    expect(screen.getAllByRole('heading', { level: 1 }).map(heading => heading.textContent)).toEqual(['Safety'])
  })

  test('releases the lock when it is left', async () => {
    const session = prepareSession()
    const { unmount } = await session.play()
    unmount()
    await settleAll()
    expect(session.server.received.filter(call => call.call === 'monitoring').at(-1)!.body).toMatchObject({
      is_monitoring: false,
    })
    expect(session.adapters.last.calls.at(-1)).toBe('destroy')
  })

  test('has no accessibility fault while playing, counting down and completed', async () => {
    const session = prepareSession({ playlist: makeSessionPlaylist(2, 'file') })
    const { container } = await session.play()
    const checkAccessibility = async () => {
      // jsdom renders nothing, so the browser tests check contrast.
      const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    }
    await checkAccessibility()
    await session.end()
    await checkAccessibility()
    await userEvent.click(screen.getByRole('button', { name: 'Skip to next video' }))
    act(() => session.adapters.last.emit('cued'))
    await settleScreen()
    act(() => session.adapters.last.emit('playing'))
    await session.end()
    await checkAccessibility()
  })
})

describe('the picture of a video', () => {
  const findSource = () =>
    screen.getByRole('region', { name: 'Player' }).querySelector('img, video')?.getAttribute('src')

  test('stands on the stage before it begins, and the next one behind the countdown', async () => {
    const videos = makeSessionPlaylist(2, 'file').videos.map(video => ({ ...video, url: `/media/${video.id}.webm` }))
    const session = prepareSession({ playlist: makeSessionPlaylist(2, 'file', { videos }) })
    session.show()
    await settleScreen()
    expect(findSource()).toBe('/media/v0.webm?poster')
    act(() => session.adapters.last.emit('cued'))
    await settleScreen()
    act(() => session.adapters.last.emit('playing'))
    await settleScreen()
    expect(findSource()).toBeUndefined()
    await session.end()
    expect(screen.getByText('Next Video Starting...')).toBeTruthy()
    expect(findSource()).toBe('/media/v1.webm?poster')
  })

  test('stands behind the words while it cannot be reached; a blocked YouTube is named', async () => {
    const session = prepareSession({ playlist: makeSessionPlaylist(1) })
    session.show()
    await settleScreen()
    act(() =>
      session.adapters.last.emit({ type: 'error', code: 0, unavailable: false, network: true, reason: 'No network.' }),
    )
    expect(findSource()).toBe(`${window.location.origin}/api/playlists/covers/v0?size=large`)
    expect(screen.getByText(/Your network may block YouTube/)).toBeTruthy()
    expect(screen.getByText('About YouTube videos')).toBeTruthy()
  })
})
