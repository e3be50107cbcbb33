import { expect } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { type NotificationWorld, startNotifications } from './_util.ts'

/** The service with one supervisor, who has one trainee. */
export interface Team {
  world: NotificationWorld
  supervisor: PersonSnapshot
  trainee: PersonSnapshot
}

export async function startTeam(): Promise<Team> {
  const world = await startNotifications()
  const supervisor = world.addPerson('supervisor', { name: 'Supervisor 1' })
  const trainee = world.addPerson('user', { name: 'Trainee 1', supervisor_id: supervisor.id })
  return { world, supervisor, trainee }
}

/** Waits for a notification that asks the person for an answer. */
export async function fetchPending({ world }: Pick<Team, 'world'>, person: PersonSnapshot) {
  return eventually(async () => {
    const list = await world.list(person)
    expect(list.pending_approvals).toBeGreaterThan(0)
    return list.notifications.find(notification => notification.is_approved === null)!
  })
}

export function review(
  { world }: Pick<Team, 'world'>,
  person: PersonSnapshot,
  id: string,
  body: { action: string; supervisor_comment?: string | undefined; comment_revision?: number | undefined },
) {
  return world.callAs(person).post(`/notifications/${id}/approve`, body)
}
