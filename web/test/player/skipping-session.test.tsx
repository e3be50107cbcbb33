import './_immediate.ts'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { MantineProvider } from '@mantine/core'
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { IDBFactory } from 'fake-indexeddb'
import { StagePanel } from '../../src/features/player/controls/stage-panel.tsx'
import { readReach } from '../../src/features/player/machine/playback-reach.ts'
import { initialState } from '../../src/features/player/machine/playback-state.ts'
import type { TrackBody } from '../../src/features/player/player-api.ts'
import type { MonitoredSessionProps } from '../../src/features/player/session/monitored-session.tsx'
import type { SessionView } from '../../src/features/player/session/session-runner.ts'
import { createDatabaseStorage } from '../../src/outbox/database-storage.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { advance, eventually, stopTime } from '../support/manual-time.ts'
import { makeFailure, okAnswer } from './_answers.ts'
import { limitedPlaylist, makeLimitedWatch, makeReportWatch } from './_limited-task.ts'
import { makeProgress, makeReport } from './_player-outbox.ts'
import { nothingToResume, prepareSession, setMedia, settleScreen } from './_session-screen.tsx'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  setMedia(() => false)
})
afterEach(() => {
  cleanup()
  window.sessionStorage.clear()
})

const isOff = 'Skipping ahead is off for this task.'
const finishFirst = `${isOff} Finish the videos before this one first.`
const status = () =>
  within(screen.getByRole('region', { name: 'Player' }))
    .getAllByRole('status')
    .at(-1)!

/** A session of a task without skipping ahead, of which so much is watched. */
async function playLimited(untils: number[], props: Partial<MonitoredSessionProps> = {}) {
  const session = prepareSession({ playlist: limitedPlaylist('file'), ...props })
  let watched = makeLimitedWatch(untils)
  let refuses = false
  session.server.answerWith((call, body) => {
    if (call === 'session-status') return nothingToResume
    if (call === 'watched') return { ...okAnswer, data: watched } as never
    if (call !== 'track') return okAnswer
    const { video_id, watch_time } = body as TrackBody
    const index = Number(video_id.slice(1))
    const until = refuses
      ? watched.videos[index]!.reach!.until
      : Math.max(watched.videos[index]!.reach!.until, watch_time)
    return { ...okAnswer, data: { success: true, watched: makeReportWatch(index, until) } } as never
  })
  await session.play()
  return {
    ...session,
    calls: () => session.adapters.last.calls,
    refuseCredit(next: number[]) {
      refuses = true
      watched = makeLimitedWatch(next)
    },
  }
}

function moveSlider(to: number) {
  const slider = screen.getByRole('slider', { name: 'Position in the video' })
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(slider, String(to))
    slider.dispatchEvent(new Event('change', { bubbles: true }))
  })
}

describe('the screen of a task without skipping ahead', () => {
  test('goes to the furthest position from the seek bar, and says why, once for each attempt', async () => {
    const { calls } = await playLimited([30, 0, 0])
    expect(calls()).toEqual(['load v0@0', 'play'])
    moveSlider(20)
    expect(calls().at(-1)).toBe('seek 20')
    expect(status().textContent).toBe('')
    await settleScreen()
    moveSlider(50)
    expect(calls().at(-1)).toBe('seek 30')
    const announced = await within(status()).findByText(isOff)
    expect(await findAccessibilityFaults()).toEqual([])
    moveSlider(55)
    // Another element, because a screen reader does not repeat the same one.
    expect(within(status()).getByText(isOff)).not.toBe(announced)
  })

  test.each([
    ['asks how far it may play if only a position is not sent yet', makeProgress('v0', 20), 'watched'],
    ['does not ask how far it may play while reports are not sent yet', makeReport(), 'session-status'],
  ])('%s', async (_name, call, firstCall) => {
    const storage = createDatabaseStorage('trainee1', () => {})
    await storage.add({ id: 'earlier', at: Date.now(), call }, () => false)
    storage.close?.()
    const { server } = await playLimited([30, 0, 0])
    expect(server.calls()[0]).toBe(firstCall)
  })

  test('goes no further by keys, by the time of a comment or by a line of the transcript', async () => {
    const { calls } = await playLimited([12, 0, 0], {
      comments: ({ seek }) => (
        <button type="button" onClick={() => seek(45)}>
          Comment at 0:45
        </button>
      ),
    })
    const player = screen.getByRole('region', { name: 'Player' })
    fireEvent.keyDown(player, { key: 'ArrowRight' })
    expect(calls().at(-1)).toBe('seek 5')
    fireEvent.keyDown(player, { key: 'l' })
    expect(calls().at(-1)).toBe('seek 12')
    expect(status().textContent).toBe(isOff)
    moveSlider(0)
    await userEvent.click(screen.getByRole('button', { name: 'Comment at 0:45' }))
    expect(calls().at(-1)).toBe('seek 12')
  })

  test('refuses a later video, by button, key and list, until the ones before it are complete', async () => {
    stopTime()
    const { calls, adapters } = await playLimited([30, 0, 0], {
      comments: ({ goTo }) => (
        <button type="button" onClick={() => goTo('v2', 0)}>
          Clip 3
        </button>
      ),
    })
    const before = calls().length
    fireEvent.click(screen.getByRole('button', { name: 'Skip to next video' }))
    expect(status().textContent).toBe(finishFirst)
    fireEvent.keyDown(screen.getByRole('region', { name: 'Player' }), { key: 'N', shiftKey: true })
    fireEvent.click(screen.getByRole('button', { name: 'Clip 3' }))
    expect(calls()).toHaveLength(before)
    moveSlider(30)
    await advance(500)
    for (let position = 34; position <= 58; position += 4) {
      adapters.last.currentTime = position
      await advance(1_000)
    }
    fireEvent.click(screen.getByRole('button', { name: 'Skip to next video' }))
    expect(calls().at(-1)).toBe('load v1@0')
  })

  test('takes back a jump by the controls inside YouTube’s player', async () => {
    const { calls, adapters } = await playLimited([30, 0, 0], { playlist: limitedPlaylist('youtube') })
    adapters.last.currentTime = 50
    act(() => adapters.last.emit('paused'))
    expect(calls().at(-1)).toBe('seek 30')
    expect(status().textContent).toBe(isOff)
  })

  test('returns to the end of the credit if the server does not credit a report', async () => {
    stopTime()
    const { calls, refuseCredit, server, adapters } = await playLimited([30, 0, 0])
    moveSlider(28)
    await advance(500)
    refuseCredit([10, 0, 0])
    adapters.last.currentTime = 29
    await advance(1_000)
    fireEvent.click(screen.getByRole('button', { name: 'Pause' }))
    await eventually(() => expect(calls().at(-1)).toBe('seek 10'))
    expect(server.calls().filter(call => call === 'watched')).toHaveLength(2)
    expect(status().textContent).toMatch(/^The last part was not credited/)
  })

  test('plays on without limits while they cannot be loaded', async () => {
    const session = prepareSession({ playlist: limitedPlaylist('file') })
    session.server.answerWith(call =>
      call === 'session-status' ? nothingToResume : call === 'watched' ? (makeFailure(503) as never) : okAnswer,
    )
    await session.play()
    moveSlider(40)
    expect(session.adapters.last.calls.at(-1)).toBe('seek 40')
    expect(status().textContent).toBe('')
  })
})

describe('a video that cannot be played', () => {
  const showPanel = (changes: Partial<SessionView>) =>
    render(
      <MantineProvider env="test">
        <StagePanel
          view={{ ...initialState(limitedPlaylist('file')), ...changes }}
          runner={undefined}
          person={{ id: 'trainee1', name: 'Trainee One', role: 'user' }}
          onBack={() => {}}
          onReload={() => {}}
          backLabel="Back to Dashboard"
        />
      </MantineProvider>,
    )

  test('keeps the later ones waiting, and the panel says so', () => {
    showPanel({ phase: 'unplayable', unavailable: ['v1'] })
    expect(screen.getByText(/Skipping ahead is off for this task, so the videos after it must wait/)).toBeTruthy()
    cleanup()
    showPanel({ phase: 'unplayable', unavailable: ['v0', 'v1', 'v2'] })
    expect(screen.getByText(/None of these videos can be played/)).toBeTruthy()
  })

  test('is not to be skipped while it does not load', () => {
    const loading = { phase: 'starting', note: 'unreachable' } as const
    showPanel(loading)
    expect(screen.getByRole('button', { name: 'Skip this video' })).toBeTruthy()
    cleanup()
    showPanel({ ...loading, reach: readReach(makeLimitedWatch([30, 0, 0])) })
    expect(screen.queryByRole('button', { name: 'Skip this video' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Back to Dashboard' })).toBeTruthy()
  })
})

test('a task that allows skipping asks for no limits', async () => {
  const session = prepareSession()
  await session.play()
  moveSlider(40)
  expect(session.adapters.last.calls.at(-1)).toBe('seek 40')
  expect(session.server.calls()).not.toContain('watched')
})
