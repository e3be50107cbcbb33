import { keep, loadKept } from './kept.ts'

export interface ImportDraft {
  url: string
  /** Instead of YouTube's. */
  title: string
  description: string
}

export const emptyImport: ImportDraft = { url: '', title: '', description: '' }

export function loadImport(key: string): ImportDraft {
  const kept = (loadKept(key) ?? {}) as Partial<ImportDraft>
  return { url: String(kept.url ?? ''), title: String(kept.title ?? ''), description: String(kept.description ?? '') }
}

export function keepImport(key: string, draft: ImportDraft): void {
  keep(key, isEmpty(draft) ? undefined : draft)
}

export function isEmpty({ url, title, description }: ImportDraft): boolean {
  return url === '' && title === '' && description === ''
}
