import type { SavedMailLanguages } from '@watchline/contracts/mail-languages'
import type { StoredMailLanguages } from '../context.ts'
import { defaultMailLanguages } from '../rules/mail-languages.ts'
import type { SavedSetting } from '../store/saved-settings.ts'

export function presentMailLanguages(record: SavedSetting<StoredMailLanguages> | undefined): SavedMailLanguages {
  const { default_language, languages } = record?.value ?? defaultMailLanguages
  return {
    ...{ default_language, languages },
    version: record?.version ?? 0,
    updated_at: record?.updatedAt.toISOString() ?? null,
    updated_by: record?.updatedBy ?? null,
  }
}
