import type { SavedReminderSettings } from '@watchline/contracts/mail-settings'
import type { NotificationContext } from '../context.ts'
import type { StoredReminderSettings } from '../rules/digest-date.ts'
import { defaultReminderSettings, nextAllowedMoment } from '../rules/quiet-times.ts'
import type { SavedSetting } from '../store/saved-settings.ts'

export function presentReminderSettings(
  { clock, timeZoneConverterOf, timeZone }: NotificationContext,
  record: SavedSetting<StoredReminderSettings> | undefined,
): SavedReminderSettings {
  const { digest_changed_at: _, ...settings }: StoredReminderSettings = record?.value ?? defaultReminderSettings
  return {
    ...settings,
    time_zone: timeZone,
    next_allowed_at: new Date(nextAllowedMoment(clock.now(), settings, timeZoneConverterOf(timeZone))).toISOString(),
    version: record?.version ?? 0,
    updated_at: record?.updatedAt.toISOString() ?? null,
    updated_by: record?.updatedBy ?? null,
  }
}
