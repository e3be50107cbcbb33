import { afterEach, expect, test } from '@jest/globals'
import { act, cleanup, waitFor } from '@testing-library/react'
import { getWatched } from '@watchline/contracts/engagement'
import { CreditProvider } from '../../src/features/watch-credit/credit-context.tsx'
import { SeekStrip } from '../../src/features/watch-credit/seek-strip.tsx'
import { createFakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'
import { makeCreditSession } from './_credit-session.ts'
import { makePlaylistWatch } from './_watch-data.ts'

const api = createFakeApi()
afterEach(cleanup)

test('the seek bar shows credited, provisional and commented parts of the video', async () => {
  api.answer(getWatched, makePlaylistWatch())
  const session = makeCreditSession()
  const { container } = renderScreen(
    <CreditProvider session={session}>
      <SeekStrip videoId="v0" duration={250} ticks={[25]} />
    </CreditProvider>,
  )
  const startsOf = (name: string) =>
    [...container.querySelectorAll<HTMLElement>(`.${name}`)].map(({ style }) => style.insetInlineStart)
  await waitFor(() => expect(startsOf('range')).toEqual(['0%', '74%']))
  expect(startsOf('tick')).toEqual(['10%'])
  act(() =>
    session.played.set([
      { videoId: 'v0', from: 150, to: 160, at: 1_000 },
      { videoId: 'v1', from: 0, to: 5, at: 1_000 },
    ]),
  )
  expect(startsOf('provisional')).toEqual(['60%'])
})
