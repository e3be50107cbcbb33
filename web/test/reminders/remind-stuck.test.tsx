import { afterEach, expect, test } from '@jest/globals'
import { cleanup, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { remindPeople } from '@watchline/contracts/assignments'
import { getTeam } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { HttpResponse } from 'msw'
import { useRemind } from '../../src/features/reminders/use-remind.ts'
import { makeMember, makeTeam } from '../support/engagement.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const stuck = Array.from({ length: 2 * limits.remindMaxPeople + 1 }, () => makeMember({ progress: 'stalled' }))
const firstPage = stuck.slice(0, 150)
const idsOf = (body: unknown) => (body as { user_ids: string[] }).user_ids

afterEach(cleanup)

function RemindStuck() {
  const { remindListed, isReminding } = useRemind()
  return (
    <button type="button" disabled={isReminding} onClick={() => remindListed('stalled')}>
      Remind everybody
    </button>
  )
}

/** The people who are stuck, in two pages. */
function answerStuck() {
  api.answer(getTeam, ({ query }) => {
    expect(query.progress).toBe('stalled')
    const isFirst = query.cursor === undefined
    const members = isFirst ? firstPage : stuck.slice(firstPage.length - 1)
    return HttpResponse.json(makeTeam(members), { headers: isFirst ? { 'x-next-cursor': 'second' } : {} })
  })
}

const remindAll = (user_ids: string[]) => ({
  success: true as const,
  reminders: user_ids.map(user_id => ({
    user_id,
    outcome: 'reminded' as const,
    reminded_at: '2026-11-23T08:05:00.000Z',
    playlist_id: 'safety',
    title: 'Fire safety',
  })),
})

test('everybody who is stuck is reminded once, in calls of the allowed size, with one outcome', async () => {
  setXsrfCookie('there')
  answerStuck()
  api.answer(remindPeople, ({ body }) => remindAll(idsOf(body)))
  renderScreen(<RemindStuck />)
  await user.click(screen.getByRole('button'))
  expect(await screen.findByText('Reminder sent to 201 people')).toBeTruthy()
  const calls = api.callsOf(remindPeople).map(({ body }) => idsOf(body))
  expect(calls.map(ids => ids.length)).toEqual([100, 100, 1])
  expect(calls.flat()).toEqual(stuck.map(({ user_id }) => user_id))
})

test('a call that fails in between leaves the sum so far, and says how many were not reached', async () => {
  setXsrfCookie('there')
  answerStuck()
  api.answer(remindPeople, ({ body }) =>
    api.callsOf(remindPeople).length === 2 ? refusal('unavailable') : remindAll(idsOf(body)),
  )
  renderScreen(<RemindStuck />)
  await user.click(screen.getByRole('button'))
  expect(await screen.findByText('Reminder sent to 100 people')).toBeTruthy()
  expect(screen.getByText('101 people not reached: please try again.')).toBeTruthy()
})
