import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { MediaPath } from '@watchline/identity/media-scope'

/** The folder of own files, which the gateway serves. */
export interface MediaFolder {
  /** Whether the file is gone; false if this process cannot see the folder. */
  isGone(path: MediaPath): Promise<boolean>
}

export function createMediaFolder(mediaRoot: string | undefined): MediaFolder {
  const root = mediaRoot && resolve(mediaRoot)
  return {
    isGone: async path => {
      if (!root || !(await exists(root))) return false
      return !(await exists(join(root, path)))
    },
  }
}

/** An error other than a missing file says nothing about the file. */
async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    error => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  )
}
