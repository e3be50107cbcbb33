import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { AuthContext } from '../context.ts'

/** An export reads every service, which takes seconds: it is one entry. */
const oneExportMs = 10 * 60_000

/** Audits that an administrator exported what is recorded of a person. */
export const onUserExported = defineConsumer('user.exported', async ({ event, tx }, ctx: AuthContext) => {
  const { person_id: personId, by, exported_at } = event.data
  const at = Date.parse(exported_at)
  const recent = { action: 'exported', by, subjectId: personId, since: at - oneExportMs } as const
  if (await ctx.audit.has(recent, tx.session)) return
  const [subject, admin] = [await ctx.people.byId(personId, tx.session), await ctx.people.byId(by, tx.session)]
  if (!subject || !admin) return
  await ctx.audit.add({ at, action: 'exported', by: admin, subject, before: {}, after: {} }, tx.session)
})
