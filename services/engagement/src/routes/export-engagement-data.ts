import { exportEngagementData as operation } from '@watchline/contracts/privacy'
import type { Person } from '@watchline/identity/people'
import { findExportedPerson, type PersonalDataParts, streamPersonalData } from '@watchline/identity/personal-data'
import { defineRoute } from '@watchline/kit/http/route'
import { loadMembers } from '../actions/load-members.ts'
import { loadRecordedPlaylists } from '../actions/load-recorded-playlists.ts'
import { loadTaskHistory } from '../actions/load-task-history.ts'
import type { EngagementContext } from '../context.ts'
import { presentMemberPlaylist } from './presenters.ts'

export const exportEngagementData = defineRoute(
  operation,
  async ({ query, person: caller }, ctx: EngagementContext) => {
    const person = await findExportedPerson({ ...ctx, service: 'engagement' }, caller, query.user_id)
    return streamPersonalData(readParts(ctx, person))
  },
)

async function* readParts(ctx: EngagementContext, person: Person): PersonalDataParts {
  const [member] = await loadMembers(ctx, [person])
  const history = await loadTaskHistory(ctx, member!)
  for (const playlist of await loadRecordedPlaylists(ctx, member!))
    yield { kind: 'watch_record', data: presentMemberPlaylist(playlist, history) }
  yield* ctx.engagementData.read(person.id)
}
