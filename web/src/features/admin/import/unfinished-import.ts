import { z } from 'zod'

const key = 'watchline-unfinished-import'
const unfinishedSchema = z.object({ id: z.string(), fileName: z.string() })
export type UnfinishedImport = z.infer<typeof unfinishedSchema>

/**
 * The unfinished import of this tab, so that the administrator can return to it. Without storage,
 * the import's address still leads there.
 */
export const unfinishedImport = {
  get(): UnfinishedImport | undefined {
    try {
      return unfinishedSchema.safeParse(JSON.parse(sessionStorage.getItem(key) ?? 'null')).data
    } catch {
      return undefined
    }
  },
  set(value: UnfinishedImport): void {
    try {
      sessionStorage.setItem(key, JSON.stringify(value))
    } catch {
      // Storage is unavailable, so the import is not remembered.
    }
  },
  clear(id: string): void {
    if (unfinishedImport.get()?.id === id) sessionStorage.removeItem(key)
  },
}
