import { expect } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { collectionOf, type PlaybackWorld } from './_util.ts'

let groupCount = 0

/** Announces a group with members, as auth does, and returns calls that change it. */
export async function announceGroup(
  world: PlaybackWorld,
  members: readonly PersonSnapshot[],
  assigners: readonly PersonSnapshot[] = [],
) {
  groupCount += 1
  const id = `group-${groupCount}`
  let revision = 1
  const by = null
  const change = async (added: readonly { id: string }[], removed: readonly { id: string }[] = []) => {
    revision += 1
    const ids = (people: readonly { id: string }[]) => people.map(person => person.id)
    await world.publish('group.members_changed', {
      ...{ group_id: id, added: ids(added), removed: ids(removed), revision, by },
    })
  }
  await world.publish('group.changed', {
    ...{ group_id: id, name: `Group ${groupCount}`, assigners: assigners.map(person => person.id), revision, by },
  })
  if (members.length > 0) await change(members)
  await eventually(async () =>
    expect(await collectionOf(world, 'groups').findOne({ _id: id })).toMatchObject({
      ...{ name: `Group ${groupCount}`, size: members.length },
    }),
  )
  return {
    id,
    change,
    revision: () => revision,
    remove: () => world.publish('group.deleted', { group_id: id, revision: revision + 1, by }),
  }
}

export type Group = Awaited<ReturnType<typeof announceGroup>>
