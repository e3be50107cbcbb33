import type { MailLanguages, SavedMailLanguages } from '@watchline/contracts/mail-languages'
import { defaultMailLanguages } from '../actions/replace-mail-languages.ts'
import type { SavedSetting } from '../store/saved-settings.ts'

export function presentMailLanguages(record: SavedSetting<MailLanguages> | undefined): SavedMailLanguages {
  return {
    ...(record?.value ?? defaultMailLanguages),
    version: record?.version ?? 0,
    updated_at: record?.updatedAt.toISOString() ?? null,
    updated_by: record?.updatedBy ?? null,
  }
}
