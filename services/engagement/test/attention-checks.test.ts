import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { conditionsOf } from '@watchline/contracts/conditions'
import type { AttentionCheck } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { callAs, createEngagementWorld, createTrainee, type EngagementWorld, iso } from './_util.ts'

let world: EngagementWorld
let url: string
let otherUrl: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
  otherUrl = (await world.start()).url
})
afterAll(() => world.close())

const answerS = limits.attentionAnswerMs / 1_000

/** A trainee who watches a task, as long as a first attention check may take to come. */
async function watchTask({ attention_checks = true } = {}) {
  const { person, playlistId, me, lock, track, watched } = await createTrainee(world, url, [3 * limits.attentionMaxS])
  const at = iso(world.clock.now())
  world.owners.assignments.set(`${person.id}:${playlistId}`, {
    ...{ person_id: person.id, playlist_id: playlistId, assigned_date: at },
    due: { at: null, changed_at: at, conditions: { ...conditionsOf(null), attention_checks } },
  })
  await lock.acquire()
  let position = 0
  /** Watches the next seconds. Returns the check in the answer. */
  async function watch(seconds: number): Promise<AttentionCheck | undefined> {
    position += seconds
    world.clock.advance(seconds * 1_000)
    await lock.renew()
    const event_type = seconds === 0 ? 'play' : 'playing'
    const body = { event_type, watch_time: position, client_time: iso(world.clock.now()), event_id: randomUUID() }
    const { status, json } = await track(body)
    expect(status).toBe(200)
    return json.attention_check
  }
  let check = await watch(0)
  while (!check && position < limits.attentionMaxS + limits.playingEventS) check = await watch(limits.playingEventS)
  const answer = (action: string, id = check?.id, caller = me) =>
    caller.post(`/engagement/attention-checks/${id}`, { action })
  /** The request of an answer that the person gave so many seconds ago. */
  const answerLate = (action: string, age_s: number) =>
    me.post(`/engagement/attention-checks/${check?.id}`, { action, age_s })
  const findCheck = async (): Promise<AttentionCheck | undefined> =>
    (await me.get('/engagement/attention-checks')).json.attention_check
  return { person, watched, watch, answer, answerLate, findCheck, check, position: () => position }
}

test('a task without attention checks asks nothing', async () => {
  expect((await watchTask({ attention_checks: false })).check).toBeUndefined()
})

describe('an attention check', () => {
  test('comes at a moment of the server’s choice, and ends with an answer in time, without a note', async () => {
    const { check, position, watch, answer, watched } = await watchTask()
    expect(check?.answer_within_s).toBe(answerS)
    expect(position()).toBeGreaterThanOrEqual(limits.attentionMinS)
    expect((await watch(10))?.answer_within_s).toBe(answerS - 10)
    const { status, json } = await answer('answer')
    expect([status, json]).toEqual([200, { success: true }])
    expect(await watch(10)).toBeUndefined()
    expect((await watched()).notes).toEqual([])
  })

  test('is in the export of the person', async () => {
    const { check, person } = await watchTask()
    const { text } = await callAs(world, url, person).get('/engagement/record/data')
    const [line] = text.split('\n').filter(part => part.includes('"kind":"attention_checks"'))
    expect(JSON.parse(line!).data).toEqual({ attention: expect.objectContaining({ open: expect.anything() }) })
    expect(line).toContain(check!.id)
  })

  test('is a note without an answer in time, waits on, and takes no credit away', async () => {
    const { check, position, watch, answer, watched } = await watchTask()
    await watch(10)
    world.clock.advance(2 * limits.attentionAnswerMs)
    expect(await watch(10)).toEqual({ id: check?.id, answer_within_s: 0 })
    expect(await watched()).toMatchObject({
      watch_time: position(),
      notes: [{ code: 'unanswered', times: 1, seconds: 0 }],
    })
    expect((await answer('extend')).json.attention_check).toEqual({ id: check?.id, answer_within_s: 0 })
    expect((await answer('answer')).json).toEqual({ success: true })
    expect((await watched()).notes).toMatchObject([{ times: 1 }])
  })

  test('that is answered late, without a report in between, is one note, and the task goes on', async () => {
    const { check, position, watch, answer, watched } = await watchTask()
    world.clock.advance(2 * limits.attentionAnswerMs)
    for (const _ of ['once', 'again']) {
      const { status, json } = await answer('answer')
      expect([status, json]).toEqual([200, { success: true }])
    }
    expect((await answer('extend')).json).toEqual({ success: true })
    expect(await watched()).toMatchObject({
      watch_time: position(),
      notes: [{ code: 'unanswered', times: 1, seconds: 0 }],
    })
    expect(await watch(10)).toBeUndefined()
    let next: AttentionCheck | undefined
    while (!next) next = await watch(limits.playingEventS)
    expect(next.id).not.toBe(check?.id)
    // The earlier check does not exist any more.
    expect((await answer('answer')).status).toBe(404)
    expect((await answer('answer', next.id)).json).toEqual({ success: true })
    expect((await watched()).notes).toMatchObject([{ times: 1 }])
  })

  test('has a few seconds more for an answer that is on its way', async () => {
    const { answer, watched } = await watchTask()
    world.clock.advance(limits.attentionAnswerMs + 4_000)
    expect((await answer('answer')).json).toEqual({ success: true })
    expect((await watched()).notes).toEqual([])
  })

  test('is shown to a player that has not reported yet, until it is answered', async () => {
    const { check, answer, findCheck } = await watchTask()
    world.clock.advance(15_000)
    expect(await findCheck()).toEqual({ id: check?.id, answer_within_s: answerS - 15 })
    await answer('answer')
    expect(await findCheck()).toBeUndefined()
  })

  test('that was answered in time is no note, however late the request arrives, and twice', async () => {
    const { answerLate, watch, watched } = await watchTask()
    await watch(10)
    world.clock.advance(10 * limits.attentionAnswerMs)
    const lateS = 10 * answerS
    for (const _ of ['once', 'again']) expect((await answerLate('answer', lateS)).json).toEqual({ success: true })
    expect(await watch(10)).toBeUndefined()
    expect((await watched()).notes).toEqual([])
  })

  test('that was answered too late is one note, also if the request arrives even later', async () => {
    const { answerLate, watch, watched } = await watchTask()
    await watch(10)
    world.clock.advance(10 * limits.attentionAnswerMs)
    await answerLate('answer', 5 * answerS)
    expect((await watched()).notes).toMatchObject([{ code: 'unanswered', times: 1 }])
  })

  test('that lost its way to the player is asked again, and is no note', async () => {
    const { check, watch, answer, watched } = await watchTask()
    world.clock.advance(10 * limits.attentionAnswerMs)
    expect(await watch(10)).toEqual({ id: check?.id, answer_within_s: answerS })
    expect((await watch(10))?.answer_within_s).toBe(answerS - 10)
    await answer('answer')
    expect((await watched()).notes).toEqual([])
  })

  test('gives ten times as long to people who ask for it', async () => {
    const { answer, watch, watched } = await watchTask()
    const first = (await answer('extend')).json.attention_check
    expect(first.answer_within_s).toBe(10 * answerS)
    expect((await answer('extend')).json.attention_check).toEqual(first)
    world.clock.advance(2 * limits.attentionAnswerMs)
    await watch(10)
    expect((await watched()).notes).toEqual([])
  })

  test('that is answered several times at once, also by another replica, changes once', async () => {
    const { person, answer, check, watch } = await watchTask()
    const other = callAs(world, otherUrl, person)
    const answers = await Promise.all([answer('answer'), answer('answer', check?.id, other), answer('answer')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await watch(10)).toBeUndefined()
  })

  test('of another person, an unknown one, and a wrong body, are refused', async () => {
    const { answer, answerLate, check, watch } = await watchTask()
    const stranger = callAs(world, url, world.addPerson('user'))
    expect((await answer('answer', check?.id, stranger)).status).toBe(404)
    expect((await answer('answer', randomUUID())).status).toBe(404)
    expect((await answer('answer', 'no-id')).status).toBe(404)
    expect((await answer('later')).status).toBe(422)
    expect((await answerLate('answer', -1)).status).toBe(422)
    expect((await stranger.get('/engagement/attention-checks')).json).toEqual({})
    expect((await watch(10))?.id).toBe(check?.id)
  })
})
