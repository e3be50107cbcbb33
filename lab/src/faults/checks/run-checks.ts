import { until } from '../../../../tools/src/provision/wait.ts'
import type { Organisation } from '../../shared/organisation.ts'
import type { Journal } from '../call-log.ts'
import type { Load } from '../clients/start-load.ts'
import type { World } from '../fault-world.ts'
import { checkChat } from './chat.ts'
import { createEventOracle } from './events.ts'
import { checkNotifications } from './notifications.ts'
import { checkProjections } from './projections.ts'
import { checkRecords } from './records.ts'
import { checkWatching } from './watching.ts'

const signOutLimitMs = 15_000
const settleMs = 30_000

interface Judged {
  world: World
  load: Load
  journal: Journal
  organisation: Organisation
}

/** Compares what clients were promised with what there is. */
export function createOracle({ world, load, journal, organisation }: Judged) {
  const { books } = load
  const events = createEventOracle(world, journal)
  let commentsChecked = 0
  let signOutsChecked = 0

  /** Whoever signed out stays signed out, also when what gateways know of it was forgotten meanwhile. */
  async function checkSignOuts() {
    const fresh = books.signOuts.slice(signOutsChecked)
    signOutsChecked = books.signOuts.length
    for (const { name, browser } of fresh) {
      let status = 0
      await until(
        async () => {
          status = (await browser.copy().call('GET', '/auth/profile')).status
          return status === 401
        },
        { what: 'the session has ended', limitMs: signOutLimitMs, everyMs: 250 },
      ).catch(() => journal.violation('sign-out lost', `${name} signed out and was answered ${status} afterwards`))
    }
  }

  /** What was acknowledged since the last cycle, looked up one by one. */
  async function checkFresh() {
    const comments = books.comments.slice(commentsChecked)
    commentsChecked = books.comments.length
    const found = await world.databases
      .of('engagement')
      .collection<{ _id: string }>('comments')
      .countDocuments({ _id: { $in: comments.map(each => each.id) } })
    if (found !== comments.length)
      journal.violation('comment lost', `${comments.length - found} of ${comments.length} since the last cycle`)

    const last = new Map(books.messages.map(each => [each.roomId, each.seq]))
    const rooms = await world.databases
      .of('chat')
      .collection<{ _id: string; last_seq: number }>('rooms')
      .find({}, { projection: { last_seq: 1 } })
      .toArray()
    const stored = new Map(rooms.map(each => [each._id, each.last_seq]))
    for (const [roomId, seq] of last)
      if ((stored.get(roomId) ?? 0) < seq) journal.violation('message lost', `${roomId} ends before ${seq}`)
  }

  return {
    drained: events.drained,
    /** The cheap part, under load. */
    check: async (): Promise<void> => {
      await checkFresh()
      await checkSignOuts()
    },
    /** All of it, when nobody calls any more. Answers how many events there were. */
    final: async (): Promise<{ events: number }> => {
      await events.drained(Date.now(), settleMs)
      const happenings = world.databases.of('notification').collection('happenings')
      await until(async () => (await happenings.countDocuments()) === 0, {
        what: 'all is folded',
        limitMs: settleMs,
      }).catch(() => {})
      await events.drained(Date.now(), settleMs)
      const checking = { world, books, journal, organisation }
      await checkRecords(checking)
      await checkWatching(checking)
      await checkNotifications(checking)
      await checkProjections(world, journal)
      await checkChat(checking)
      await checkSignOuts()
      return { events: await events.final() }
    },
  }
}
