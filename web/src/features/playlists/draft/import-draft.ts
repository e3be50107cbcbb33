import { loadSessionDraft, saveSessionDraft } from './session-draft.ts'

export interface ImportDraft {
  url: string
  /** Replaces YouTube's title, as `description` replaces its description. Empty keeps YouTube's. */
  title: string
  description: string
}

export const emptyImport: ImportDraft = { url: '', title: '', description: '' }

export function loadImport(key: string): ImportDraft {
  const storedDraft = (loadSessionDraft(key) ?? {}) as Partial<ImportDraft>
  return {
    url: String(storedDraft.url ?? ''),
    title: String(storedDraft.title ?? ''),
    description: String(storedDraft.description ?? ''),
  }
}

export function saveImport(key: string, draft: ImportDraft): void {
  saveSessionDraft(key, isEmptyImport(draft) ? undefined : draft)
}

export function isEmptyImport({ url, title, description }: ImportDraft): boolean {
  return url === '' && title === '' && description === ''
}
