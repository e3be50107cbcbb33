import type { Person } from '@watchline/identity/people'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { Logger } from '@watchline/kit/observability/log'
import type { PlaybackContext } from '../context.ts'
import type { DueDate, DueSteps } from '../rules/assignment.ts'
import { findGraceDue } from '../rules/due-date.ts'
import { presentDue } from '../rules/playlist-events.ts'
import { findUncompletable } from '../rules/uncompletable.ts'
import type { DueReminder } from '../store/due-reminders.ts'

type Deps = Pick<PlaybackContext, 'clock' | 'outbox' | 'assignments' | 'playlists' | 'people'>

const pauseMs = 60_000
const batchSize = 500

export function createDueReminders(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'reminders of due dates failed, retrying')
  return createRepeatedJob(() => sendDueReminders(ctx), { pauseMs, jitter: true, onError })
}

/**
 * Publishes `task.due` and `task.escalated` for open tasks that are due soon, in their grace period
 * or overdue, and returns for how many. The events and the time of the next ones are one
 * transaction, so that none is lost or published by two replicas. Consumers drop repeated events.
 */
export async function sendDueReminders(ctx: Deps): Promise<number> {
  let reminded = 0
  for (;;) {
    const now = new Date(ctx.clock.now())
    const keys = await ctx.assignments.findToRemind(now, batchSize)
    if (keys.length > 0) reminded += await remindBatch(ctx, keys, now)
    if (keys.length < batchSize) return reminded
  }
}

function remindBatch(ctx: Deps, keys: readonly string[], now: Date): Promise<number> {
  return ctx.outbox.transaction(async tx => {
    const claimed = await ctx.assignments.claimDueReminders(keys, now, tx.session)
    const tasks = (await Promise.all(claimed.map(reminder => describeTask(ctx, reminder)))).filter(
      task => task !== null,
    )
    publishReminders(
      tx,
      tasks.filter(({ steps }) => steps.isReminded),
      now,
    )
    publishEscalations(tx, await findManagers(ctx, tasks))
    return tasks.filter(({ steps }) => steps.isReminded || steps.isEscalated).length
  })
}

/** An open task that its trainee can complete, with what has come of its due date. */
interface DueTask {
  person: Person
  playlistId: string
  title: string
  due: DueDate
  /** Null without a grace period. */
  graceDue: DueDate | null
  steps: DueSteps
}

async function describeTask({ people, playlists }: Deps, { assignment, steps }: DueReminder): Promise<DueTask | null> {
  const { personId, playlistId, due, conditions } = assignment
  const [person, playlist] = await Promise.all([people.get(personId), playlists.cached.get(playlistId)])
  // Other roles have no screen for the tasks that they got as a trainee.
  if (person?.role !== 'user' || person.deactivatedAt || !playlist || !due) return null
  // The nightly check tells their leaders, who can do something about it.
  if (findUncompletable(assignment, playlist, person)) return null
  const graceDue = findGraceDue(due, conditions)
  return { person, playlistId, title: playlist.title, due, graceDue, steps }
}

function publishReminders(tx: Transaction, tasks: readonly DueTask[], now: Date): void {
  for (const group of groupBy(tasks, ({ playlistId, due, graceDue }) => [playlistId, due, graceDue])) {
    const { playlistId, title, due, graceDue } = group[0]!
    const isInGrace = due.at <= now && graceDue !== null && graceDue.at > now
    tx.publish('task.due', playlistId, {
      ...{ playlist_id: playlistId, title, people: group.map(({ person }) => person.id) },
      ...{ reason: due.at > now ? 'due_soon' : 'overdue', due: presentDue(due) },
      ...(isInGrace && { grace_until: presentDue(graceDue) }),
    })
  }
}

interface EscalatedTask extends DueTask {
  managerId: string
}

/**
 * The manager at this moment of each escalated person's supervisor. Without one, nobody is
 * notified.
 */
async function findManagers({ people }: Deps, tasks: readonly DueTask[]): Promise<EscalatedTask[]> {
  const escalated = tasks.filter(({ steps }) => steps.isEscalated)
  const found = await Promise.all(
    escalated.map(async task => {
      const { supervisorId } = task.person
      const supervisor = supervisorId ? await people.find(supervisorId, 0) : undefined
      const manager = supervisor?.managerId ? await people.find(supervisor.managerId, 0) : undefined
      return manager && !manager.deactivatedAt ? { ...task, managerId: manager.id } : null
    }),
  )
  return found.filter(task => task !== null)
}

function publishEscalations(tx: Transaction, tasks: readonly EscalatedTask[]): void {
  for (const group of groupBy(tasks, ({ playlistId, due, managerId }) => [playlistId, due, managerId])) {
    const { playlistId, title, due, managerId } = group[0]!
    tx.publish('task.escalated', playlistId, {
      ...{ playlist_id: playlistId, title, people: group.map(({ person }) => person.id) },
      ...{ recipient: managerId, due: presentDue(due) },
    })
  }
}

function groupBy<T extends DueTask>(tasks: readonly T[], keyOf: (task: T) => unknown): T[][] {
  return [...Map.groupBy(tasks, task => JSON.stringify(keyOf(task))).values()]
}
