import type { PersonSnapshot } from '@watchline/contracts/people'
import { type Consumer, defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { ErasureJobs } from './erasure-jobs.ts'
import type { People } from './people.ts'

interface PeopleContext {
  people: People
  erasureJobs: ErasureJobs
}

const personEvents = [
  'user.created',
  'user.profile_changed',
  'user.role_changed',
  'user.supervisor_changed',
  'user.manager_changed',
  'user.deactivated',
  'user.reactivated',
] as const

/** The consumers that update the projection; each service lists them beside its own. */
export const peopleConsumers: readonly Consumer<PeopleContext>[] = [
  ...personEvents.map(type =>
    defineBatchConsumer(type, ({ events, tx }, ctx: PeopleContext) =>
      applySnapshots(
        ctx,
        events.map(({ data }) => data.person),
        tx,
      ),
    ),
  ),
  defineBatchConsumer('user.erased', async ({ events, tx }, ctx: PeopleContext) => {
    for (const { data } of events) {
      const { erasure_id: erasureId, person, earlier_names: earlierNames = [] } = data
      const [known] = await ctx.people.byIds([person.id], tx.session)
      const names = [...(known && !known.erasedAt ? [known.name, known.email] : []), ...earlierNames]
      await ctx.erasureJobs.request({ erasureId, personId: person.id, names }, tx)
      await applySnapshots(ctx, [person], tx)
    }
  }),
  defineBatchConsumer('users.imported', ({ events, tx }, ctx: PeopleContext) =>
    applySnapshots(
      ctx,
      events.flatMap(({ data }) => data.people),
      tx,
    ),
  ),
  defineBatchConsumer('user.deleted', ({ events, tx }, { people }: PeopleContext) => {
    tx.bumpVersions(people.versionKey)
    return people.removeAll(
      events.map(({ data }) => data.person_id),
      tx.session,
    )
  }),
]

function applySnapshots({ people }: PeopleContext, snapshots: readonly PersonSnapshot[], tx: Transaction) {
  tx.bumpVersions(people.versionKey)
  return people.applyAll(snapshots, tx.session)
}
