import { limits } from '@watchline/contracts/limits'
import type { PeopleImport } from '@watchline/contracts/people-imports'

export type ImportStatus = PeopleImport['status']

/** What is asked of an import: the dry run, or to bring everybody in. */
export type ImportTask = 'check' | 'apply'

/** An import that works and has not been heard of for long broke off: its process is gone. */
export function currentStatus(status: ImportStatus, heardAt: number, now: number): ImportStatus {
  const works = status === 'checking' || status === 'applying'
  return works && now - heardAt > limits.importSilentMs ? 'interrupted' : status
}

/** Whether a task may begin, runs or is done already, or why it cannot be done now. */
export function decideStart(
  task: ImportTask,
  status: ImportStatus,
  problemCount: number,
): 'begin' | 'under way' | { refused: string } {
  switch (status) {
    case 'uploading':
      return task === 'check' ? 'begin' : { refused: 'This file has not been checked yet.' }
    case 'checking':
      return task === 'check' ? 'under way' : { refused: 'This file is still being checked.' }
    case 'checked':
      return task === 'check' || problemCount === 0 ? 'begin' : { refused: 'This file has problems.' }
    case 'refused':
      return task === 'check' ? 'begin' : { refused: 'This file has problems. Check it again, or choose another one.' }
    case 'interrupted':
      return 'begin'
    case 'applying':
      return task === 'apply' ? 'under way' : { refused: 'These people are being brought in.' }
    case 'applied':
      return task === 'apply' ? 'under way' : { refused: 'These people have been brought in.' }
  }
}
