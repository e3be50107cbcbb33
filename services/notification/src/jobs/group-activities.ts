import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import type { Logger } from '@watchline/kit/observability/log'
import { publishChange } from '../actions/publish-change.ts'
import { mergeGroups } from '../rules/activity.ts'
import type { ActivityStore, GroupKey } from '../store/activities.ts'
import type { NotificationStore } from '../store/notifications.ts'

export interface GroupingDeps {
  clock: Clock
  log: Logger
  outbox: Outbox
  activities: ActivityStore
  notifications: NotificationStore
}

/** Groups stored activities into notifications, apart from the events that cause them. */
export interface ActivityGrouping extends Lifecycle {
  /** Groups the stored activities of these keys soon. */
  enqueue(keys: readonly GroupKey[]): void
}

const activitiesPerTransaction = 500
const concurrentKeys = 4
const searchPauseMs = 2_000
/** The process that stored an activity groups it within this time, unless the process died. */
const abandonedAfterMs = 2_000

/**
 * Consumers only insert activities, so they never compete for a document. This job groups many
 * activities of one recipient at a time, and searches for those of processes that died.
 */
export function createActivityGrouping(deps: GroupingDeps): ActivityGrouping {
  const { activities, clock, log } = deps
  const queue = new Map<string, GroupKey>()
  const running = new Set<Promise<void>>()
  let stopped = false
  const search = createRepeatedJob(enqueueAbandoned, {
    pauseMs: searchPauseMs,
    jitter: true,
    onError: logSearchFailure,
  })

  function runNext() {
    while (!stopped && running.size < concurrentKeys && queue.size > 0) {
      const [[id, key]] = queue as unknown as [[string, GroupKey]]
      queue.delete(id)
      const run = groupKey(deps, key)
        .then(hasMore => {
          if (hasMore) queue.set(id, key)
        })
        .catch(error => log.warn({ err: error }, 'grouping of activities failed, retrying'))
        .finally(() => {
          running.delete(run)
          runNext()
        })
      running.add(run)
    }
  }

  function enqueue(keys: readonly GroupKey[]) {
    for (const key of keys) queue.set(`${key.recipientId}:${key.kind}`, key)
    runNext()
  }

  async function enqueueAbandoned() {
    const storedBefore = new Date(clock.now() - abandonedAfterMs)
    enqueue(await activities.keysStoredBefore(storedBefore, activitiesPerTransaction))
  }

  function logSearchFailure(error: unknown) {
    log.warn({ err: error }, 'search for abandoned activities failed, retrying')
  }

  return {
    enqueue,
    start: signal => {
      stopped = false
      search.start(signal)
      enqueueAbandoned().catch(logSearchFailure)
    },
    stop: async () => {
      stopped = true
      await search.stop()
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** Groups one batch of a key. True if more activities may remain. */
function groupKey({ clock, activities, notifications, outbox }: GroupingDeps, key: GroupKey): Promise<boolean> {
  return outbox.transaction(async tx => {
    const removed = await activities.removeOldest(key, activitiesPerTransaction, tx.session)
    if (!removed) return false
    const { group, isRead } = removed
    const now = new Date(clock.now())
    const openId = await activities.findOpenNotification(key, now, tx.session)
    const open = openId && (await notifications.findById(openId, tx.session))
    if (open) {
      const merged = { group: mergeGroups(open.group, group), isRead: open.isRead && isRead }
      await notifications.replaceGroup(open.id, merged, now, tx.session)
    } else {
      const id = newId()
      const { recipientId } = key
      await notifications.add([{ id, recipientId, group, isRead, createdAt: now, updatedAt: now }], tx.session)
      await activities.openNotification(key, id, new Date(now.getTime() + limits.notificationGroupingMs), tx.session)
    }
    publishChange(tx, [key.recipientId])
    return group.activityCount >= activitiesPerTransaction
  })
}
