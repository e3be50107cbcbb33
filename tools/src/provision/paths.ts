import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** The folder of downloads: WATCHLINE_CACHE, or `.cache` in the project. */
export function cacheFolder(): string {
  return resolve(process.env.WATCHLINE_CACHE || join(projectRoot, '.cache'))
}
