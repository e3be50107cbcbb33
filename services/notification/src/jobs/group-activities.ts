import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { newId } from '@watchline/kit/mongo/database'
import { tellChanged } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'
import { fold } from '../rules/activity.ts'
import type { FoldKey } from '../store/activities.ts'

type Needed = Pick<NotificationContext, 'clock' | 'happenings' | 'log' | 'notifications' | 'outbox'>

/** Turns what has happened into notifications, off the path of the events that tell of it. */
export interface Folding extends Lifecycle {
  /** Something of these keys waits. */
  wake(keys: readonly FoldKey[]): void
  /** When all that waits here has been folded. */
  settled(): Promise<void>
}

const takenAtOnce = 500
const keysAtOnce = 4
const lookMs = 2_000
/** Whoever wrote it may be about to fold it; older than this, and nobody is. */
const leftBehindMs = 2_000

/**
 * Events only add happenings, which disturb no one; a flood of them for one recipient is then folded many at a time, so that a thousand
 * consumers do not queue for one document. What a process that died left behind is found by looking now and then.
 */
export function createFolding(ctx: Needed): Folding {
  const waiting = new Map<string, FoldKey>()
  const working = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let running = true

  function work() {
    while (running && working.size < keysAtOnce && waiting.size > 0) {
      const [[id, key]] = waiting as unknown as [[string, FoldKey]]
      waiting.delete(id)
      const job = foldKey(ctx, key)
        .then(more => {
          if (more) waiting.set(id, key)
        })
        .catch(error => ctx.log.warn({ err: error }, 'what happened is not folded yet'))
        .finally(() => {
          working.delete(job)
          work()
        })
      working.add(job)
    }
  }

  function wake(keys: readonly FoldKey[]) {
    for (const key of keys) waiting.set(`${key.recipientId}:${key.kind}`, key)
    work()
  }

  async function look() {
    try {
      wake(await ctx.happenings.waitingSince(new Date(ctx.clock.now() - leftBehindMs), takenAtOnce))
    } catch (error) {
      ctx.log.warn({ err: error }, 'what waits to be folded could not be read')
    }
  }

  async function settled() {
    while (working.size > 0) await Promise.all(working)
  }

  return {
    wake,
    settled,
    start: () => {
      running = true
      timer = setInterval(() => void look(), lookMs * (0.75 + Math.random() / 2))
      void look()
    },
    stop: async () => {
      running = false
      clearInterval(timer)
      await settled()
    },
  }
}

/** Folds what waits for one recipient; answers whether there may be more. */
function foldKey({ clock, happenings, notifications, outbox }: Needed, key: FoldKey): Promise<boolean> {
  return outbox.transaction(async tx => {
    const facts = await happenings.take(key, takenAtOnce, tx.session)
    if (!facts) return false
    const now = new Date(clock.now())
    const openId = await happenings.open(key, now, tx.session)
    const open = openId && (await notifications.byId(openId, tx.session))
    if (open) await notifications.grow(open.id, fold(open.facts, facts), now, tx.session)
    else {
      const id = newId()
      const fresh = { id, recipientId: key.recipientId, facts, isRead: false, createdAt: now, updatedAt: now }
      await notifications.add([fresh], tx.session)
      await happenings.openWith(key, id, new Date(now.getTime() + limits.notificationFoldMs), tx.session)
    }
    tellChanged(tx, [key.recipientId])
    return facts.happenings >= takenAtOnce
  })
}
