import { z } from 'zod'

const key = 'watchline-unfinished-import'
const unfinished = z.object({ id: z.string(), fileName: z.string() })
export type UnfinishedImport = z.infer<typeof unfinished>

/**
 * The import this tab has begun and not seen the end of, so that one who went elsewhere finds back to it. Only a
 * convenience: where the browser keeps nothing, the import's address still leads there.
 */
export const unfinishedImport = {
  get(): UnfinishedImport | undefined {
    try {
      return unfinished.safeParse(JSON.parse(sessionStorage.getItem(key) ?? 'null')).data
    } catch {
      return undefined
    }
  },
  set(value: UnfinishedImport): void {
    try {
      sessionStorage.setItem(key, JSON.stringify(value))
    } catch {
      // Not kept, then.
    }
  },
  clear(id: string): void {
    if (unfinishedImport.get()?.id === id) sessionStorage.removeItem(key)
  },
}
