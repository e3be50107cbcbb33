import { erasedName } from '@watchline/contracts/people'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { AuthContext } from '../context.ts'

const actions = { wording: 'mail_wording_changed', reminders: 'reminder_settings_changed' } as const

/** Audits that an administrator changed the words or languages of mails, or reminders. */
export const onMailSettingsChanged = defineConsumer(
  'mail_settings.changed',
  async ({ event, tx }, { audit, people }: AuthContext) => {
    const { setting, by, changed_at, kind, language, is_default, changes } = event.data
    const admin = (await people.byId(by, tx.session)) ?? { id: by, name: erasedName }
    const subjectFields = { ...(kind !== undefined && { kind }), ...(language !== undefined && { language }) }
    const before = { ...subjectFields, ...Object.fromEntries(changes.map(change => [change.field, change.before])) }
    const after = {
      ...subjectFields,
      ...(is_default && { restored: 'default' }),
      ...Object.fromEntries(changes.map(change => [change.field, change.after])),
    }
    const at = Date.parse(changed_at)
    await audit.add({ at, action: actions[setting], by: admin, subject: null, before, after }, tx.session)
  },
)
