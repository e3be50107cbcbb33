import type { CallLog } from '../call-log.ts'
import type { FaultWorld } from '../fault-world.ts'

type Row = Record<string, unknown> & { _id: string }
type Looking = Pick<FaultWorld, 'databases'>

const rowsOf = ({ databases }: Looking, service: string, collection: string, filter = {}) =>
  databases.of(service).collection<Row>(collection).find(filter).toArray()

/** Checks that every projection equals its owner's data. */
export async function checkProjections(world: Looking, callLog: CallLog): Promise<void> {
  const compare = (what: string, owned: Map<string, string>, kept: Map<string, string>) => {
    for (const [id, value] of owned)
      if (kept.get(id) !== value)
        callLog.violation('projection differs', `${what} ${id}: the owner has ${value}, kept is ${kept.get(id)}`)
    for (const id of kept.keys())
      if (!owned.has(id)) callLog.violation('projection differs', `${what} ${id} is kept, and its owner has none`)
  }

  const person = ({ _id, name, email, picture, role, supervisor_id, manager_id, version }: Row) =>
    [
      _id,
      JSON.stringify([name, email, picture ?? null, role, supervisor_id ?? null, manager_id ?? null, version]),
    ] as const
  const people = new Map((await rowsOf(world, 'auth', 'people')).map(person))
  for (const service of ['playback-session', 'engagement', 'notification', 'chat'])
    compare(`${service}'s person`, people, new Map((await rowsOf(world, service, 'people')).map(person)))

  const playlist = ({ _id, title, revision, shared_with, created_by, videos }: Row) =>
    [
      _id,
      JSON.stringify([title, revision, created_by, shared_with, (videos as { id: string }[]).map(each => each.id)]),
    ] as const
  compare(
    "engagement's playlist",
    new Map((await rowsOf(world, 'playback-session', 'playlists')).map(playlist)),
    new Map((await rowsOf(world, 'engagement', 'playlists', { deleted_at: null })).map(playlist)),
  )

  const key = ({ _id }: Row) => [_id, 'assigned'] as const
  compare(
    "engagement's assignment",
    new Map((await rowsOf(world, 'playback-session', 'assignments')).map(key)),
    new Map((await rowsOf(world, 'engagement', 'assignments', { assigned: true })).map(key)),
  )
}
