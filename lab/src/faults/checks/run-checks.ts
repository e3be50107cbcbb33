import { until } from '../../../../tools/src/provision/wait.ts'
import type { Organisation } from '../../shared/organisation.ts'
import { type CallLog, drainLimitMs, patienceMs } from '../call-log.ts'
import type { Load } from '../clients/start-load.ts'
import type { FaultWorld } from '../fault-world.ts'
import { checkChat } from './chat.ts'
import { createEventChecks } from './events.ts'
import { checkNotifications } from './notifications.ts'
import { checkProjections } from './projections.ts'
import { checkRecords } from './records.ts'
import { checkWatching } from './watching.ts'

const signOutLimitMs = 15_000

interface CheckDeps {
  world: FaultWorld
  load: Load
  callLog: CallLog
  organisation: Organisation
}

/** Compares acknowledged results with the stored data. */
export function createChecks({ world, load, callLog, organisation }: CheckDeps) {
  const { expectedRecords } = load
  const events = createEventChecks(world, callLog)
  let commentsChecked = 0
  let signOutsChecked = 0

  /** Checks that a signed-out session stays ended, even if Redis lost the revocation. */
  async function checkSignOuts() {
    const newSignOuts = expectedRecords.signOuts.slice(signOutsChecked)
    signOutsChecked = expectedRecords.signOuts.length
    for (const { name, browser } of newSignOuts) {
      let status = 0
      await until(
        async () => {
          status = (await browser.copy().call('GET', '/auth/profile')).status
          return status === 401
        },
        { condition: 'the session ends', limitMs: signOutLimitMs, everyMs: 250 },
      ).catch(() =>
        callLog.reportViolation('sign-out lost', `a call of ${name} after the sign-out was answered ${status}`),
      )
    }
  }

  /** Looks up everything acknowledged since the last cycle. */
  async function checkNewRecords() {
    const comments = expectedRecords.comments.slice(commentsChecked)
    commentsChecked = expectedRecords.comments.length
    const found = await world.databases
      .of('engagement')
      .collection<{ _id: string }>('comments')
      .countDocuments({ _id: { $in: comments.map(comment => comment.id) } })
    if (found !== comments.length)
      callLog.reportViolation('comment lost', `${comments.length - found} of ${comments.length} since the last cycle`)

    const lastAcknowledged = new Map(expectedRecords.messages.map(message => [message.roomId, message.seq]))
    const rooms = await world.databases
      .of('chat')
      .collection<{ _id: string; last_seq: number }>('rooms')
      .find({}, { projection: { last_seq: 1 } })
      .toArray()
    const stored = new Map(rooms.map(room => [room._id, room.last_seq]))
    for (const [roomId, seq] of lastAcknowledged)
      if ((stored.get(roomId) ?? 0) < seq) callLog.reportViolation('message lost', `${roomId} ends before ${seq}`)
  }

  return {
    drainEvents: events.drain,
    /** The cheap checks, under load. */
    checkNew: async (): Promise<void> => {
      await checkNewRecords()
      await checkSignOuts()
    },
    /** All checks, after the load. Returns the number of events. */
    checkAll: async (): Promise<{ events: number }> => {
      await events.drain(Date.now(), drainLimitMs)
      const activities = world.databases.of('notification').collection('happenings')
      await until(async () => (await activities.countDocuments()) === 0, {
        condition: 'all activities are grouped',
        limitMs: patienceMs,
      }).catch(() => {})
      await events.drain(Date.now(), drainLimitMs)
      const input = { world, expectedRecords, callLog, organisation }
      await checkRecords(input)
      await checkWatching(input)
      await checkNotifications(input)
      await checkProjections(world, callLog)
      await checkChat(input)
      await checkSignOuts()
      return { events: await events.checkAll() }
    },
  }
}
