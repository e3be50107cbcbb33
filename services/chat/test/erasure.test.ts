import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { erasedMessage, expiredMessage } from '@watchline/contracts/chat'
import { erasedName, type PersonSnapshot } from '@watchline/contracts/people'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { type ChatWorld, readAllMessages, startChat, textsOf } from './_util.ts'

let chat: ChatWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot
let roomId: string
beforeEach(async () => {
  chat = await startChat({ noRateLimit: true })
  ;({ supervisor, trainee, roomId } = chat.createPair())
  await chat.publishPeople(supervisor, trainee)
})
afterEach(() => chat.stop())

/** Enough messages that most of them are archived. */
async function converse(count: number) {
  for (let index = 0; index < count; index += 1) {
    await chat.send(trainee, supervisor, `mine ${index}`)
    await chat.send(supervisor, trainee, `yours ${index}`)
  }
}

test('the partner of an erased person keeps the room, without what the person wrote', async () => {
  await converse(60)
  await eventually(async () => expect(await chat.collection('messages').countDocuments()).toBeGreaterThan(0))
  await chat.publish('user.erased', makeErasure(trainee))
  await eventually(async () => {
    const messages = await readAllMessages(chat, supervisor, roomId)
    const expected = Array.from({ length: 60 }, (_, index) => [erasedMessage, `yours ${index}`]).flat()
    expect(textsOf(messages)).toEqual(expected)
  })
  expect(await chat.collection('messages').countDocuments({ text: /mine/ })).toBe(0)
  const [room] = await chat.listRooms(supervisor)
  expect(room).toMatchObject({ open: false, other: { id: trainee.id, name: erasedName, email: '' } })
  expect((await chat.callAs(trainee).get('/chat/rooms')).json.code).toBe('deactivated')
  expect((await chat.send(supervisor, trainee, 'still there?')).status).toBe(403)
})

test('an event that is older than the erasure does not bring the person back, and a second erasure is harmless', async () => {
  const erasure = makeErasure(trainee)
  await chat.publish('user.erased', erasure)
  await chat.publish('user.profile_changed', { person: { ...trainee, version: 9 }, by: null })
  await chat.publish('user.erased', erasure)
  await chat.publish('user.erased', makeErasure(trainee))
  expect(await chat.collection('people').findOne({ _id: trainee.id })).toMatchObject({ name: erasedName, email: '' })
  const completed = () => chat.collection('outbox').countDocuments({ 'event.type': 'user.erasure_completed' })
  await eventually(async () => expect(await completed()).toBeGreaterThanOrEqual(2))
  await eventually(async () => expect(await chat.collection('erasures').countDocuments({ passes: 1 })).toBe(2))
  // The second pass removes the task.
  chat.clock.advance(16 * 60_000)
  await eventually(async () => expect(await chat.collection('erasures').countDocuments()).toBe(0))
})

test('messages expire with the time that is set, and the room stays', async () => {
  await converse(1)
  chat.clock.advance(731 * 24 * 3600_000)
  await chat.send(supervisor, trainee, 'new')
  const { trainee: silent, supervisor: leader, roomId: silentRoom } = chat.createPair()
  chat.clock.advance(-731 * 24 * 3600_000)
  await chat.publishPeople(leader, silent)
  await chat.send(silent, leader, 'old')
  chat.clock.advance(731 * 24 * 3600_000)
  // A service looks for expired messages when it starts.
  const { url } = await chat.start()
  await eventually(async () => {
    const response = await chat.callAs(trainee, url).get(`/chat/messages/${roomId}?limit=1`)
    expect(textsOf(response.json)).toEqual(['new'])
    const { json, headers } = await chat.callAs(trainee, url).get(`/chat/messages/${roomId}`)
    expect(textsOf(json)).toEqual(['new'])
    expect(headers.get('x-next-cursor')).toBeNull()
    expect(textsOf((await chat.callAs(silent, url).get(`/chat/messages/${silentRoom}`)).json)).toEqual([expiredMessage])
  })
  const { expireAfterSeconds } = (await chat.collection('messages').indexes()).find(({ name }) => name === 'kept')!
  expect(expireAfterSeconds).toBe(730 * 24 * 3600)
})
