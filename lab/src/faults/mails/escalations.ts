import type { PersonSnapshot } from '@watchline/contracts/people'
import type { PublishEvent } from '@watchline/testing/events'
import type { OwnerServices } from '@watchline/testing/owners'
import { mailDomain } from '../../../../tools/src/provision/mail-servers.ts'
import type { ReceivedMail } from './mailboxes.ts'

/** Managers whose teams have overdue tasks, and those who take over some of the teams. */
export interface EscalationTeams {
  teams: readonly EscalatedTeam[]
  mailboxes: readonly string[]
  /** The tasks of all events together. */
  taskCount: number
}

interface EscalatedTeam {
  /** The manager of the team when the events were published. */
  former: PersonSnapshot
  /** The manager when the mails are sent; the same person in most teams. */
  present: PersonSnapshot
  supervisor: PersonSnapshot
  people: readonly PersonSnapshot[]
  /** The first person completed the first task before its mail. */
  openTasks: number
}

const due = { at: '2026-01-31T16:00:00.000Z', local: '2026-01-31T17:00', time_zone: 'Europe/Berlin' }
const peoplePerTeam = 4
const titles = ['Safety', 'Ladders', 'First aid']
/** Every so many teams get another manager between event and mail. */
const movedEvery = 4

const playlistOf = ({ id }: PersonSnapshot, title: string) => `${id}-${title.replace(' ', '-')}`

export const mailboxesOfManagers = (count: number) =>
  Array.from({ length: count }, (_, index) => [`manager-${index + 1}`, `successor-${index + 1}`]).flat()

export function addEscalationTeams(owners: OwnerServices, count: number): EscalationTeams {
  const addManager = (name: string) =>
    owners.addPerson('manager', { email: `${name}@${mailDomain}`, email_verified: true })
  const teams = Array.from({ length: count }, (_, index): EscalatedTeam => {
    const former = addManager(`manager-${index + 1}`)
    const present = (index + 1) % movedEvery === 0 ? addManager(`successor-${index + 1}`) : former
    const supervisor = owners.addPerson('supervisor', { manager_id: former.id })
    const people = Array.from({ length: peoplePerTeam }, () =>
      owners.addPerson('user', { supervisor_id: supervisor.id }),
    )
    for (const { id } of people)
      for (const title of titles) {
        const playlistId = playlistOf(former, title)
        owners.assignments.set(`${id}:${playlistId}`, {
          ...{ person_id: id, playlist_id: playlistId, assigned_date: due.at },
          due: { at: due.at, changed_at: due.at },
        })
      }
    return { former, present, supervisor, people, openTasks: peoplePerTeam * titles.length - 1 }
  })
  return { teams, mailboxes: mailboxesOfManagers(count), taskCount: count * peoplePerTeam * titles.length }
}

/** As the outbox does: every event is published until the broker confirms it. */
export async function publishEscalations(
  { teams }: EscalationTeams,
  publish: PublishEvent,
  untilConfirmed: (publishOnce: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  for (const { former, people } of teams)
    for (const title of titles) {
      const playlist_id = playlistOf(former, title)
      const data = { playlist_id, title, people: people.map(({ id }) => id), recipient: former.id, due }
      await untilConfirmed(() => publish('task.escalated', data, { id: `escalation-${playlist_id}` }))
    }
}

/** After the mails are stored, and before they are sent. */
export function changeBeforeSending({ teams }: EscalationTeams, owners: OwnerServices): void {
  for (const { former, present, supervisor, people } of teams) {
    owners.completions.add(`${people[0]!.id}:${playlistOf(former, titles[0]!)}`)
    if (present !== former) owners.changePerson(supervisor, { manager_id: present.id })
  }
}

/** Each present manager has exactly one mail with all open tasks, and nobody else has one. */
export function judgeEscalations(
  { teams, mailboxes }: EscalationTeams,
  received: ReadonlyMap<string, readonly ReceivedMail[]>,
): string[] {
  const expected = new Map(teams.map(({ present, openTasks }) => [present.email.split('@')[0]!, openTasks]))
  return mailboxes.flatMap(name => {
    const tasks = expected.get(name)
    const subjects = (received.get(name) ?? []).map(({ subject }) => subject)
    const correct = tasks === undefined ? [] : [`In your teams: ${tasks} overdue tasks`]
    return JSON.stringify(subjects) === JSON.stringify(correct)
      ? []
      : [`${name}: ${JSON.stringify(subjects)} instead of ${JSON.stringify(correct)}`]
  })
}
