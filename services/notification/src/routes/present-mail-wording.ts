import type { MailKind } from '@watchline/contracts/mail'
import { type MailWording, mailPlaceholders, type SavedMailWording } from '@watchline/contracts/mail-settings'
import { defaultWordings } from '../rules/mail-wording.ts'
import type { SavedSetting } from '../store/saved-settings.ts'

export function presentMailWording(kind: MailKind, record: SavedSetting<MailWording> | undefined): SavedMailWording {
  return {
    kind,
    ...(record?.value ?? defaultWordings[kind]),
    is_default: !record?.value,
    placeholders: [...mailPlaceholders[kind]],
    version: record?.version ?? 0,
    updated_at: record?.updatedAt.toISOString() ?? null,
    updated_by: record?.updatedBy ?? null,
  }
}
