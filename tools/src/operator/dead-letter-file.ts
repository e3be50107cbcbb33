import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { DeadLetterStore, StoredDeadLetter } from '@watchline/kit/messaging/in-process/dead-letters'

/** Stores the dead letters of the in-process bus in one JSON file, replaced as a whole. */
export function createDeadLetterFile(file: string): DeadLetterStore {
  return {
    load: () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StoredDeadLetter[]) : []),
    save: letters => {
      const next = `${file}.${process.pid}`
      writeFileSync(next, `${JSON.stringify(letters, null, 1)}\n`, { mode: 0o600, flush: true })
      renameSync(next, file)
    },
  }
}
