import { beforeAll, describe, expect, test } from '@jest/globals'
import { defaultConditions } from '@watchline/contracts/conditions'
import type { OverrideAction } from '@watchline/contracts/fields'
import type { NotificationMailKind } from '@watchline/contracts/mail'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'
import { decodeQuotedPrintable, type TestMailServer } from '../_mail-server.ts'
import { makeComment, makeCompletion, type NotificationWorld } from '../_util.ts'
import { list, setUpMailTests } from './_set-up.ts'

let world: NotificationWorld
let server: TestMailServer
const { addTrainee, override, choose, receivedBy, storedFor, untilState, eventually } = setUpMailTests(started => {
  ;({ world, server } = started)
})

const at = '2027-01-05T08:00:00.000Z'
const titles = { playlist_title: 'Safety first', video_title: 'Fire exits' }

interface Team {
  manager: PersonSnapshot
  supervisor: PersonSnapshot
  trainee: PersonSnapshot
}

function addTeam(): Team {
  const manager = world.addPerson('manager', { name: 'Manager 1', email_verified: true })
  const leader = { name: 'Supervisor 1', email_verified: true, manager_id: manager.id }
  const supervisor = world.addPerson('supervisor', leader)
  return { manager, supervisor, trainee: addTrainee({ name: 'Trainee 1', supervisor_id: supervisor.id }) }
}

/** Publishes one event; a repeated call publishes it again. */
type Publish = () => Promise<unknown>

const completePlaylist =
  ({ trainee }: Team, id = newId()): Publish =>
  () =>
    world.publish(
      'playlist.completed',
      { person_id: trainee.id, playlist_id: list, completed_at: at, playlist_title: titles.playlist_title },
      { id },
    )

const overrideTask =
  (action: OverrideAction) =>
  ({ supervisor, trainee }: Team, id = newId()): Publish => {
    if (action === 'exempt') override(trainee, 'exempt')
    if (action === 'mark_done') override(trainee, 'marked_done')
    const data = { playlist_id: list, title: 'Safety first', by: supervisor.id, changed: [trainee.id], action }
    return () => world.publish('assignment.overridden', { ...data, reason: 'Parental leave', changed_at: at }, { id })
  }

const changeTerms = ({ supervisor, trainee }: Team, id = newId()): Publish => {
  const conditions = { ...defaultConditions, required_percent: 95 }
  return () =>
    world.publish(
      'assignment.due_changed',
      {
        ...{ playlist_id: list, title: 'Safety first', by: supervisor.id, changed: [trainee.id], due: null },
        ...{ changed_at: at, keeps_due: true, changes_conditions: true, conditions },
      },
      { id },
    )
}

const noteIntegrity = ({ trainee }: Team, id = newId()): Publish => {
  const notes = [{ code: 'skipped' as const, times: 2 }]
  const data = { person_id: trainee.id, playlist_id: list, video_id: 'film-1', notes, ...titles }
  return () => world.publish('integrity.noted', data, { id })
}

const reportVideo = ({ supervisor, trainee }: Team, id = newId()): Publish => {
  const video = { playlist_id: list, playlist_title: 'Safety first', video_id: 'film-1', title: 'Fire exits' }
  const reporter = { person_id: trainee.id, confirmed: false, created_by: supervisor.id, shared_with: [] }
  return () => world.publish('video.unavailable', { ...video, ...reporter }, { id })
}

const addComment = ({ trainee }: Team, id = newId()): Publish => {
  const comment = makeComment(trainee)
  return () => world.publish('comment.added', comment, { id })
}

/** The trainee, whose comment waits, moves to another supervisor. */
const moveTrainee = ({ supervisor, trainee }: Team, id = newId()): Publish => {
  const successor = world.addPerson('supervisor', { name: 'Supervisor 2', email_verified: true })
  const comment = makeComment(trainee)
  const commentEventId = newId()
  return async () => {
    await world.publish('comment.added', comment, { id: commentEventId })
    const person = { ...trainee, supervisor_id: successor.id, version: trainee.version + 1 }
    world.owners.people.set(trainee.id, person)
    const previous_supervisor_id = supervisor.id
    await world.publish('user.supervisor_changed', { person, by: null, previous_supervisor_id }, { id })
  }
}

const changeManager = ({ manager, supervisor }: Team, id = newId()): Publish => {
  const successor = world.addPerson('manager', { name: 'Manager 2' })
  const person = world.owners.changePerson(supervisor, { manager_id: successor.id })
  const data = { person, by: null, previous_manager_id: manager.id }
  return () => world.publish('user.manager_changed', data, { id })
}

const reuseToken = ({ trainee }: Team, id = newId()): Publish => {
  const data = { sid: 'sid', person_id: trainee.id, network: '203.0.113.7' }
  return () => world.publish('session.token_reused', data, { id })
}

const player = `/dashboard?playlist_id=${list}`

const cases: readonly [NotificationMailKind, keyof Team, (team: Team) => Publish, string, string][] = [
  ['terms_changed', 'trainee', changeTerms, 'Terms changed: Safety first', '/dashboard\n'],
  ['task_exempted', 'trainee', overrideTask('exempt'), 'Task not required: Safety first', '/dashboard\n'],
  ['task_marked_done', 'trainee', overrideTask('mark_done'), 'Task marked as done: Safety first', '/dashboard\n'],
  ['override_taken_back', 'trainee', overrideTask('take_back'), 'Task required again: Safety first', '/dashboard\n'],
  ['task_reset', 'trainee', overrideTask('reset'), 'Task to start again: Safety first', '/dashboard\n'],
  ['token_reused', 'trainee', reuseToken, 'A copied sign-in was ended', '/dashboard?page=record'],
  [
    'video_completed',
    'supervisor',
    ({ trainee }, id = newId()) =>
      () =>
        world.publish('video.completed', makeCompletion(trainee), { id }),
    'Video completed',
    `${player}&video_id=film-1&action=view`,
  ],
  ['playlist_completed', 'supervisor', completePlaylist, 'Playlist completed', `${player}&action=view`],
  ['playlist_completed', 'manager', completePlaylist, 'Playlist completed', '/dashboard?tab=analytics'],
  [
    'integrity',
    'supervisor',
    noteIntegrity,
    'Some watch time was not credited',
    `${player}&video_id=film-1&action=view`,
  ],
  ['video_unavailable', 'supervisor', reportVideo, 'A video cannot be played', `${player}&video_id=film-1&action=view`],
  ['comment_to_approve', 'supervisor', addComment, 'New comment', `${player}&video_id=film-1&t=75&action=view`],
  ['comments_moved', 'supervisor', moveTrainee, 'Comments to review moved', '/dashboard\n'],
  ['manager_changed', 'supervisor', changeManager, 'You have a manager', '/dashboard?tab=playlists'],
]

test.each(cases)(
  '%s goes to the %s who chose it, once for each event, with the link of the bell, and to nobody else',
  async (kind, recipientRole, prepare, subject, path) => {
    const [team, others] = [addTeam(), addTeam()]
    const recipient = team[recipientRole]
    await choose(recipient, [kind])
    const publish = prepare(team)
    await prepare(others)()
    await publish()
    await publish()
    await untilState(recipient, 'sent')
    const [mail, ...more] = receivedBy(recipient)
    expect(more).toEqual([])
    expect(mail!.header('Subject')).toBe(subject)
    expect(mail!.header('List-Unsubscribe')).toBeDefined()
    const text = decodeQuotedPrintable(mail!.content).replace(/\r/g, '')
    expect(text).toContain(`http://watchline.example${path}`)
    const people = [...Object.values(team), ...Object.values(others)].map(({ id }) => id)
    const ids = people.filter(id => id !== recipient.id)
    expect(await world.collection('mails').countDocuments({ recipient_id: { $in: ids }, kind })).toBe(0)
    expect(await world.collection('mails').countDocuments({ recipient_id: recipient.id })).toBe(1)
  },
)

test.each<[NotificationMailKind, OverrideAction]>([
  ['task_exempted', 'exempt'],
  ['task_marked_done', 'mark_done'],
])(
  'the closed task of a mail %s is stored where versions that do not know the kind look for none',
  async (kind, action) => {
    const team = addTeam()
    await choose(team.trainee, [kind])
    await overrideTask(action)(team)()
    const mail = await untilState(team.trainee, 'sent')
    expect(mail).toMatchObject({ kind, reported_task: { playlist_id: list } })
    expect(mail).not.toHaveProperty('task')
  },
)

/** The change happens while the mail server has not asked for the content yet. */
async function changeBeforeSending(recipient: PersonSnapshot, publish: Publish, change: () => unknown) {
  server.faults.set(recipient.email, { isSlow: true })
  await publish()
  await eventually(() => expect(server.attempts(recipient.email)).toBe(1))
  await change()
  world.clock.advance(2_000)
  server.faults.clear()
  server.release()
}

const setOverride = ({ trainee }: Team, value: object | null) => {
  const assignment = world.owners.assignments.get(`${trainee.id}:${list}`)!
  assignment.override = { value, changed_at: at } as NonNullable<typeof assignment.override>
}

test.each<[NotificationMailKind, string, keyof Team, (team: Team) => Publish, (team: Team) => unknown, string]>([
  [
    'task_exempted',
    'the exemption is taken back',
    'trainee',
    overrideTask('exempt'),
    team => setOverride(team, null),
    'The exception does not apply any more.',
  ],
  [
    'terms_changed',
    'the task is completed',
    'trainee',
    changeTerms,
    ({ trainee }) => world.owners.completions.add(`${trainee.id}:${list}`),
    'The task is completed.',
  ],
  [
    'playlist_completed',
    'the person leaves the team',
    'supervisor',
    completePlaylist,
    ({ trainee }) => world.owners.changePerson(trainee, { supervisor_id: null }),
    'The person is in no team of the recipient any more.',
  ],
  [
    'playlist_completed',
    'the supervisor gets another manager',
    'manager',
    completePlaylist,
    ({ supervisor }) => world.owners.changePerson(supervisor, { manager_id: null }),
    'The person is in no team of the recipient any more.',
  ],
  [
    'manager_changed',
    'the manager changes again',
    'supervisor',
    changeManager,
    ({ supervisor, manager }) => world.owners.changePerson(supervisor, { manager_id: manager.id }),
    'The manager changed again.',
  ],
])('%s is not sent if %s before', async (kind, _case, recipientRole, prepare, change, reason) => {
  const team = addTeam()
  const recipient = team[recipientRole]
  await choose(recipient, [kind])
  await changeBeforeSending(recipient, prepare(team), () => change(team))
  expect((await untilState(recipient, 'cancelled')).explanation).toBe(reason)
  expect(receivedBy(recipient)).toEqual([])
})

describe('a comment to approve', () => {
  let team: Team
  let successor: PersonSnapshot
  beforeAll(async () => {
    team = addTeam()
    successor = world.addPerson('supervisor', { name: 'Supervisor 2', email_verified: true })
    await choose(successor, ['comment_to_approve'])
  })

  const mailsOf = (person: PersonSnapshot) =>
    world.collection('mails').find({ recipient_id: person.id }).sort({ created_at: 1, _id: 1 }).toArray()

  async function addReviewer(): Promise<Team> {
    const added = addTeam()
    await choose(added.supervisor, ['comment_to_approve'])
    return added
  }

  async function reviewAs(supervisor: PersonSnapshot) {
    const { notifications } = await world.list(supervisor)
    const { status } = await world
      .callAs(supervisor)
      .post(`/notifications/${notifications[0]!.id}/approve`, { action: 'reject' })
    expect(status).toBe(200)
  }

  test('that is answered a moment before brings no mail', async () => {
    const { supervisor, ...others } = await addReviewer()
    await changeBeforeSending(supervisor, addComment({ supervisor, ...others }), () => reviewAs(supervisor))
    expect((await untilState(supervisor, 'cancelled')).explanation).toBe('The comment is reviewed.')
    expect(receivedBy(supervisor)).toEqual([])
    expect(await storedFor(supervisor)).not.toHaveProperty('facts')
  })

  test('that is deleted a moment before brings no mail', async () => {
    const { supervisor, trainee } = await addReviewer()
    const comment = makeComment(trainee)
    await changeBeforeSending(
      supervisor,
      () => world.publish('comment.added', comment),
      () =>
        world.publish('comment.deleted', {
          ...{ comment_id: comment.comment_id, person_id: trainee.id, revision: 1, deleted_at: at },
        }),
    )
    expect((await untilState(supervisor, 'cancelled')).explanation).toBe('The comment is deleted.')
    expect(receivedBy(supervisor)).toEqual([])
  })

  test('that its author edits brings a mail with the new text, and none with the text before', async () => {
    const { supervisor, trainee } = await addReviewer()
    const comment = makeComment(trainee)
    await changeBeforeSending(
      supervisor,
      () => world.publish('comment.added', comment),
      () => world.publish('comment.edited', { ...comment, text: 'And the stairs?', revision: 2 }),
    )
    await eventually(async () => {
      const states = (await mailsOf(supervisor)).map(({ state, comment: { revision } }) => `${revision} ${state}`)
      expect(states.sort()).toEqual(['1 cancelled', '2 sent'])
    })
    expect(receivedBy(supervisor)).toHaveLength(1)
    expect(decodeQuotedPrintable(receivedBy(supervisor)[0]!.content)).toContain('And the stairs?')
  })

  test('that moves to another supervisor brings one mail to that one', async () => {
    const { supervisor, trainee } = await addReviewer()
    await changeBeforeSending(supervisor, addComment({ ...team, supervisor, trainee }), () =>
      world.changeSupervisor(trainee, successor.id),
    )
    await untilState(successor, 'sent')
    expect((await untilState(supervisor, 'cancelled')).explanation).toBe('Another person reviews the comment.')
    expect([receivedBy(supervisor).length, receivedBy(successor).length]).toEqual([0, 1])
  })

  /** The transaction that brings the comment back also tells the successor that it moved. */
  const returnFromSuccessor = async ({ supervisor, trainee }: Team) => {
    await world.changeSupervisor(trainee, supervisor.id)
    await eventually(async () => {
      const notices = { recipient_id: successor.id, kind: 'comments_moved', 'facts.people.id': trainee.id }
      expect(await world.collection('notifications').countDocuments(notices)).toBe(1)
    })
  }

  test('that comes back to a supervisor brings no second mail', async () => {
    const added = await addReviewer()
    const { supervisor, trainee } = added
    await addComment(added)()
    await untilState(supervisor, 'sent')
    await world.changeSupervisor(trainee, successor.id)
    await returnFromSuccessor(added)
    expect((await mailsOf(supervisor)).map(({ state }) => state)).toEqual(['sent'])
  })

  test('that comes back to a supervisor brings no second mail if the server may have got the first', async () => {
    const added = await addReviewer()
    const { supervisor, trainee } = added
    server.faults.set(supervisor.email, { cutsAfterContent: true })
    await addComment(added)()
    await untilState(supervisor, 'unknown')
    server.faults.clear()
    await world.changeSupervisor(trainee, successor.id)
    await eventually(async () => {
      const pending = { recipient_id: successor.id, kind: 'comment_to_approve', 'facts.people.id': trainee.id }
      expect(await world.collection('notifications').countDocuments(pending)).toBe(1)
    })
    world.clock.advance(3_600_000)
    await untilState(supervisor, 'cancelled')
    await returnFromSuccessor(added)
    expect([receivedBy(supervisor).length, (await mailsOf(supervisor)).map(({ state }) => state)]).toEqual([
      1,
      ['cancelled'],
    ])
  })

  test('that comes back to a supervisor whose mail was cancelled brings one mail', async () => {
    const added = await addReviewer()
    const { supervisor, trainee } = added
    await changeBeforeSending(supervisor, addComment(added), () => world.changeSupervisor(trainee, successor.id))
    await untilState(supervisor, 'cancelled')
    await returnFromSuccessor(added)
    await untilState(supervisor, 'sent')
    expect([receivedBy(supervisor).length, (await mailsOf(supervisor)).length]).toEqual([1, 1])
  })
})
