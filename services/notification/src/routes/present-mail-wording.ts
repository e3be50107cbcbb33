import type { MailKind } from '@watchline/contracts/mail'
import { type MailWording, mailPlaceholders, type SavedMailWording } from '@watchline/contracts/mail-settings'
import { keyOfWording } from '../actions/find-mail-words.ts'
import type { MailWordingKey } from '../context.ts'
import { defaultWordings } from '../rules/mail-wording.ts'
import type { SavedSetting } from '../store/saved-settings.ts'

/** The words of the default language stand in for those that a further language does not have. */
export function presentMailWording(
  kind: MailKind,
  language: string | undefined,
  records: ReadonlyMap<MailWordingKey, SavedSetting<MailWording>>,
): SavedMailWording {
  const record = records.get(keyOfWording(kind, language))
  return {
    kind,
    ...(language !== undefined && { language }),
    ...(record?.value ?? records.get(kind)?.value ?? defaultWordings[kind]),
    is_default: !record?.value,
    placeholders: [...mailPlaceholders[kind]],
    version: record?.version ?? 0,
    updated_at: record?.updatedAt.toISOString() ?? null,
    updated_by: record?.updatedBy ?? null,
  }
}
