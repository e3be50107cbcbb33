import type { CallLog } from '../call-log.ts'
import type { FaultWorld } from '../fault-world.ts'

type StoredRow = Record<string, unknown> & { _id: string }
type CheckedWorld = Pick<FaultWorld, 'databases'>

const findRows = ({ databases }: CheckedWorld, service: string, collection: string, filter = {}) =>
  databases.of(service).collection<StoredRow>(collection).find(filter).toArray()

/** Checks that every projection equals its owner's data. */
export async function checkProjections(world: CheckedWorld, callLog: CallLog): Promise<void> {
  const compare = (subject: string, ownerValues: Map<string, string>, copies: Map<string, string>) => {
    for (const [id, value] of ownerValues)
      if (copies.get(id) !== value)
        callLog.reportViolation(
          'projection differs',
          `${subject} ${id}: the owner has ${value}, the projection ${copies.get(id)}`,
        )
    for (const id of copies.keys())
      if (!ownerValues.has(id))
        callLog.reportViolation('projection differs', `${subject} ${id} does not exist at its owner`)
  }

  const toPersonEntry = ({ _id, name, email, picture, role, supervisor_id, manager_id, version }: StoredRow) =>
    [
      _id,
      JSON.stringify([name, email, picture ?? null, role, supervisor_id ?? null, manager_id ?? null, version]),
    ] as const
  const people = new Map((await findRows(world, 'auth', 'people')).map(toPersonEntry))
  for (const service of ['playback-session', 'engagement', 'notification', 'chat'])
    compare(`${service}'s person`, people, new Map((await findRows(world, service, 'people')).map(toPersonEntry)))

  const toPlaylistEntry = ({ _id, title, revision, shared_with, created_by, videos }: StoredRow) =>
    [
      _id,
      JSON.stringify([title, revision, created_by, shared_with, (videos as { id: string }[]).map(video => video.id)]),
    ] as const
  compare(
    "engagement's playlist",
    new Map((await findRows(world, 'playback-session', 'playlists')).map(toPlaylistEntry)),
    new Map((await findRows(world, 'engagement', 'playlists', { deleted_at: null })).map(toPlaylistEntry)),
  )

  const toAssignmentEntry = ({ _id }: StoredRow) => [_id, 'assigned'] as const
  compare(
    "engagement's assignment",
    new Map((await findRows(world, 'playback-session', 'assignments')).map(toAssignmentEntry)),
    new Map((await findRows(world, 'engagement', 'assignments', { assigned: true })).map(toAssignmentEntry)),
  )
}
