import { setTimeout as sleep } from 'node:timers/promises'
import { createEventPublisher } from '@watchline/testing/events'
import { startOwnerServices } from '@watchline/testing/owners'
import { mailDomain } from '../../../../tools/src/provision/mail-servers.ts'
import type { Log } from '../../../../tools/src/provision/types.ts'
import { until } from '../../../../tools/src/provision/wait.ts'
import { createWorld } from '../../shared/world.ts'
import { createRandom } from '../random.ts'
import {
  addEscalationTeams,
  changeBeforeSending,
  judgeEscalations,
  mailboxesOfManagers,
  publishEscalations,
} from './escalations.ts'
import { createMailWorld, type MailWorld, reportsMailbox } from './mail-world.ts'
import { type ReceivedMail, readMailboxes } from './mailboxes.ts'

export interface MailRunOptions {
  folder: string
  /** The number of people who get a reminder. */
  mails: number
  seed: number
  isInterrupted?: () => boolean
  log: Log
}

export interface MailFigures {
  seed: number
  people: number
  /** Every tenth person: completed just before the reminder, which must not be sent. */
  completed: number
  kills: Record<string, number>
  /** Final states, by number of mails. */
  states: Record<string, number>
  /** Managers who get one mail about overdue tasks, and how many of them took over a team. */
  managers: number
  successors: number
  received: number
  /** Mails that Watchline handed to the server twice. */
  sentTwice: number
  /** Mails that the killed mail server put into a mailbox twice, although it had got them once. */
  doubledByServer: number
  /** From the first reminder until every mail was settled. */
  seconds: number
  violations: string[]
}

const peoplePerEvent = 100
const minTeams = 4
const remindersPerTeam = 100
const pauseMs = [2_000, 5_000] as const
const settleLimitMs = 20 * 60_000
const unsettled = ['waiting', 'sending', 'unknown']

/**
 * Sends reminders and escalations while replicas of notification, the broker and the mail server
 * are killed again and again, until every mail is settled. Then it reads every mailbox over IMAP.
 */
export async function runMailFaults({ folder, mails, seed, isInterrupted, log }: MailRunOptions): Promise<MailFigures> {
  const random = createRandom(seed)
  const names = Array.from({ length: mails }, (_, index) => `trainee-${index + 1}`)
  const teamCount = Math.max(minTeams, Math.ceil(mails / remindersPerTeam))
  log('— servers')
  const world = await createWorld(async base => {
    const owners = await startOwnerServices()
    base.onStop(() => owners.close())
    const mailboxes = [reportsMailbox, ...names, ...mailboxesOfManagers(teamCount)]
    return { owners, ...(await createMailWorld(base, { folder, owners, mailboxes, log })) }
  })
  try {
    const people = names.map(name => addTrainee(world, name))
    const completed = people.filter((_, index) => index % 10 === 9)
    for (const { id } of completed) world.owners.completions.add(`${id}:${task.playlist_id}`)
    const escalations = addEscalationTeams(world.owners, teamCount)
    // A manager whose team moves away has a cancelled mail.
    const successors = escalations.teams.filter(({ former, present }) => former !== present).length
    const mailCount = mails + teamCount + successors
    log(`— ${mails} reminders, ${teamCount} managers; seed ${seed}`)
    const startedAt = Date.now()
    const publish = createEventPublisher(world.bus)
    const kills: Record<string, number> = {}
    let isDone = false
    const faults = injectUntil(() => isDone)
    // The await below reports a failure.
    faults.catch(() => {})
    try {
      await publishEscalations(escalations, publish, untilConfirmed)
      await publishReminders(people.map(({ id }) => id))
      await until(async () => (await world.countEscalatedTasks()) === escalations.taskCount, {
        condition: 'the managers’ mails have all escalated tasks',
        limitMs: 5 * 60_000,
      })
      changeBeforeSending(escalations, world.owners)
      await untilSettled()
    } finally {
      isDone = true
      await faults
    }
    const seconds = (Date.now() - startedAt) / 1_000
    log('— reading the mailboxes')
    const received = await readMailboxes(world.mailServers, names)
    const ofManagers = await readMailboxes(world.mailServers, escalations.mailboxes)
    const judged = judge(received, new Set(completed.map(({ email }) => email)))
    judged.violations.push(...judgeEscalations(escalations, ofManagers))
    return {
      seed,
      people: mails,
      completed: completed.length,
      managers: teamCount,
      successors,
      kills,
      states: await world.countStates(),
      seconds,
      ...judged,
    }

    async function injectUntil(hasEnded: () => boolean): Promise<void> {
      while (!hasEnded()) {
        await sleep(random.between(...pauseMs))
        if (hasEnded()) return
        const target = random.pick(['notification', 'notification', 'broker', 'mail server'] as const)
        await world.kill[target](random)
        kills[target] = (kills[target] ?? 0) + 1
      }
    }

    /** As the outbox does: an event that the broker did not confirm is published again. */
    async function publishReminders(ids: readonly string[]): Promise<void> {
      for (let first = 0; first < ids.length; first += peoplePerEvent) {
        const batch = ids.slice(first, first + peoplePerEvent)
        const id = `reminders-${first}`
        await untilConfirmed(() => publish('task.due', { ...task, people: batch }, { id }))
      }
    }

    function untilConfirmed(publishOnce: () => Promise<unknown>): Promise<unknown> {
      const limits = { condition: 'the broker confirms an event', limitMs: 5 * 60_000 }
      return until(() => publishOnce().then(() => true), limits)
    }

    async function untilSettled(): Promise<void> {
      const deadline = Date.now() + settleLimitMs
      for (let at = 0; Date.now() < deadline && !isInterrupted?.(); at += 1) {
        await world.passDigestTime()
        const states = await world.countStates().catch(() => undefined)
        const sum = Object.values(states ?? {}).reduce((total, count) => total + count, 0)
        if (states && sum === mailCount && unsettled.every(state => !states[state])) return
        if (at % 15 === 0) log(`  ${Math.round((Date.now() - startedAt) / 1_000)} s: ${JSON.stringify(states)}`)
        // The rest waits for a report or for its next attempt. Further kills would only delay it.
        if (states && sum === mailCount && unsettled.every(state => (states[state] ?? 0) < mails / 50)) isDone = true
        await sleep(1_000)
      }
    }
  } finally {
    await world.stop()
  }
}

const task = {
  playlist_id: 'list',
  title: 'Safety first',
  reason: 'overdue' as const,
  due: { at: '2026-01-31T16:00:00.000Z', local: '2026-01-31T17:00', time_zone: 'Europe/Berlin' },
}

function addTrainee({ owners }: Pick<MailWorld, 'owners'>, name: string) {
  const person = owners.addPerson('user', { email: `${name}@${mailDomain}`, email_verified: true })
  owners.assignments.set(`${person.id}:${task.playlist_id}`, {
    person_id: person.id,
    playlist_id: task.playlist_id,
    assigned_date: task.due.at,
    due: { at: task.due.at, changed_at: task.due.at },
  })
  return person
}

/** Two copies with the same queue id came from one hand-over to the mail server. */
function judge(mailboxes: ReadonlyMap<string, readonly ReceivedMail[]>, completed: ReadonlySet<string>) {
  const violations: string[] = []
  const figures = { received: 0, sentTwice: 0, doubledByServer: 0 }
  for (const [name, mails] of mailboxes) {
    const expected = completed.has(`${name}@${mailDomain}`) ? 0 : 1
    const handedOver = new Set(mails.map(({ queueId }) => queueId)).size
    figures.received += mails.length
    figures.sentTwice += Math.max(0, handedOver - 1)
    figures.doubledByServer += mails.length - handedOver
    if (mails.length !== expected) violations.push(`${name}: ${mails.length} mails instead of ${expected}`)
  }
  return { ...figures, violations }
}

export function formatMailFigures(figures: MailFigures): string {
  const {
    people,
    completed,
    managers,
    successors,
    received,
    sentTwice,
    doubledByServer,
    kills,
    states,
    seconds,
    violations,
  } = figures
  return [
    `${people} reminders, ${completed} of them for tasks completed just before: ${Math.round(seconds)} s`,
    `${managers} managers told of overdue tasks, ${successors} of whom took over a team before the mail`,
    `killed: ${Object.entries(kills).map(([name, count]) => `${name} ${count}`)}`,
    `states: ${Object.entries(states).map(([name, count]) => `${name} ${count}`)}`,
    `mails in the mailboxes: ${received}; handed over twice: ${sentTwice}; doubled by the mail server: ${doubledByServer}`,
    ...violations.slice(0, 20),
    violations.length === 0 ? 'Every mailbox holds what it must.' : `${violations.length} violations`,
  ].join('\n')
}
