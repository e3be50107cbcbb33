import { until } from '../../../../tools/src/provision/wait.ts'
import type { Organisation } from '../../shared/organisation.ts'
import type { CallLog } from '../call-log.ts'
import type { Load } from '../clients/start-load.ts'
import type { FaultWorld } from '../fault-world.ts'
import { checkChat } from './chat.ts'
import { createEventChecks } from './events.ts'
import { checkNotifications } from './notifications.ts'
import { checkProjections } from './projections.ts'
import { checkRecords } from './records.ts'
import { checkWatching } from './watching.ts'

const signOutLimitMs = 15_000
const settleMs = 30_000

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

  /** A signed-out session stays ended, even if Redis lost the revocation. */
  async function checkSignOuts() {
    const fresh = expectedRecords.signOuts.slice(signOutsChecked)
    signOutsChecked = expectedRecords.signOuts.length
    for (const { name, browser } of fresh) {
      let status = 0
      await until(
        async () => {
          status = (await browser.copy().call('GET', '/auth/profile')).status
          return status === 401
        },
        { condition: 'the session has ended', limitMs: signOutLimitMs, everyMs: 250 },
      ).catch(() => callLog.violation('sign-out lost', `${name} signed out and was answered ${status} afterwards`))
    }
  }

  /** Looks up everything acknowledged since the last cycle. */
  async function checkFresh() {
    const comments = expectedRecords.comments.slice(commentsChecked)
    commentsChecked = expectedRecords.comments.length
    const found = await world.databases
      .of('engagement')
      .collection<{ _id: string }>('comments')
      .countDocuments({ _id: { $in: comments.map(each => each.id) } })
    if (found !== comments.length)
      callLog.violation('comment lost', `${comments.length - found} of ${comments.length} since the last cycle`)

    const last = new Map(expectedRecords.messages.map(each => [each.roomId, each.seq]))
    const rooms = await world.databases
      .of('chat')
      .collection<{ _id: string; last_seq: number }>('rooms')
      .find({}, { projection: { last_seq: 1 } })
      .toArray()
    const stored = new Map(rooms.map(each => [each._id, each.last_seq]))
    for (const [roomId, seq] of last)
      if ((stored.get(roomId) ?? 0) < seq) callLog.violation('message lost', `${roomId} ends before ${seq}`)
  }

  return {
    drained: events.drained,
    /** The cheap checks, under load. */
    check: async (): Promise<void> => {
      await checkFresh()
      await checkSignOuts()
    },
    /** All checks, after the load. Returns the number of events. */
    final: async (): Promise<{ events: number }> => {
      await events.drained(Date.now(), settleMs)
      const happenings = world.databases.of('notification').collection('happenings')
      await until(async () => (await happenings.countDocuments()) === 0, {
        condition: 'all activities are grouped',
        limitMs: settleMs,
      }).catch(() => {})
      await events.drained(Date.now(), settleMs)
      const checking = { world, expectedRecords, callLog, organisation }
      await checkRecords(checking)
      await checkWatching(checking)
      await checkNotifications(checking)
      await checkProjections(world, callLog)
      await checkChat(checking)
      await checkSignOuts()
      return { events: await events.final() }
    },
  }
}
