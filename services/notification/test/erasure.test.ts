import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { erasedName, type PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { startTeam } from './_team.ts'
import { makeComment, makeCompletion, type NotificationWorld } from './_util.ts'

let world: NotificationWorld
let supervisor: PersonSnapshot
let trainee: PersonSnapshot

beforeEach(async () => {
  ;({ world, supervisor, trainee } = await startTeam())
})
afterEach(() => world.stop())

const untilErased = () =>
  eventually(async () =>
    expect(await world.collection('outbox').countDocuments({ 'event.type': 'user.erasure_completed' })).toBe(1),
  )
const readAll = async () =>
  JSON.stringify([
    await world.collection('notifications').find().toArray(),
    await world.collection('happenings').find().toArray(),
  ])

/** An administrator is notified of a request that names the supervisor. */
async function requestSupervisor(): Promise<void> {
  await world.publish('user.created', { person: world.addPerson('admin'), by: null })
  await eventually(async () => expect(await world.collection('people').countDocuments({ role: 'admin' })).toBe(1))
  await world.publish('supervisor_request.created', {
    request_id: newId(),
    manager_id: world.addPerson('manager').id,
    supervisor_id: supervisor.id,
  })
}

test('an erased trainee is in nobody’s notifications, and late comments make none', async () => {
  const comment = makeComment(trainee)
  await world.publish('comment.added', comment)
  await world.publish('video.completed', makeCompletion(trainee))
  await world.publish('playlist.assigned', {
    playlist_id: 'list-1',
    title: 'Safety',
    by: supervisor.id,
    assigned: [trainee.id],
    assigned_date: new Date().toISOString(),
  })
  await world.untilGrouped()
  expect(await readAll()).toContain(trainee.name)

  await world.publish('user.erased', makeErasure(trainee))
  await untilErased()
  const late = makeComment(trainee, { text: 'A late text' })
  await world.publish('comment.added', late)
  await world.publish('comment.edited', { ...comment, text: 'A late text', revision: 2 })
  const stored = await readAll()
  for (const text of [trainee.name, comment.text, late.text]) expect(stored).not.toContain(text)
  const { notifications, pending_approvals } = await world.list(supervisor)
  expect(notifications.map(({ kind, message }) => [kind, message])).toEqual([
    ['video_completed', `${erasedName} completed “Fire exits”.`],
  ])
  expect(pending_approvals).toBe(0)
  expect(await world.collection('notifications').countDocuments({ recipient_id: trainee.id })).toBe(0)
})

test('a name that an erased person had before goes, too', async () => {
  const earlier = supervisor.name
  await requestSupervisor()
  await world.untilGrouped()
  expect(await readAll()).toContain(earlier)
  const renamed = { ...supervisor, name: 'Present Name', version: supervisor.version + 1 }
  await world.publish('user.profile_changed', { person: renamed, by: null })
  await world.publish('user.erased', { ...makeErasure(renamed), earlier_names: [earlier] })
  await untilErased()
  expect(await readAll()).not.toContain(earlier)
})

test('the words and the name of an erased supervisor go, and the trainees’ comments still wait for a review', async () => {
  const comment = makeComment(trainee)
  await world.publish('comment.added', comment)
  await requestSupervisor()
  const note = 'Before your first day'
  await world.publish('playlist.assigned', {
    ...{ playlist_id: 'list-1', title: 'Safety', by: supervisor.id, assigned: [trainee.id], note },
    assigned_date: new Date().toISOString(),
  })
  await world.untilGrouped()
  for (const text of [supervisor.name, note]) expect(await readAll()).toContain(text)
  await world.publish('user.erased', makeErasure(supervisor))
  await untilErased()
  for (const text of [supervisor.name, note]) expect(await readAll()).not.toContain(text)
  const next = world.addPerson('supervisor')
  await world.changeSupervisor(trainee, next.id)
  expect((await world.list(next)).notifications).toMatchObject([{ comment: comment.text, is_approved: null }])
})
