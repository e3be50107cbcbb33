import { isDuplicateKey } from './errors.ts'

/**
 * Repeats a write once if a concurrent write inserted its unique key first: the repeat reads that
 * document.
 */
export async function retryOnDuplicateKey<T>(write: () => Promise<T>): Promise<T> {
  return write().catch(error => {
    if (isDuplicateKey(error)) return write()
    throw error
  })
}
