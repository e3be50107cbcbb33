import { limits } from '@watchline/contracts/limits'
import type { PeopleImport } from '@watchline/contracts/people-imports'

export type ImportStatus = PeopleImport['status']

/** `check` is the dry run; `apply` creates the people. */
export type ImportRunKind = 'check' | 'apply'

export type StartDecision = 'start' | 'already started' | { refused: string }

export function isRunning(status: ImportStatus): boolean {
  return status === 'checking' || status === 'applying'
}

/** A run without reports for too long is interrupted: its process has died. */
export function currentStatus(status: ImportStatus, lastReportAt: number, now: number): ImportStatus {
  return isRunning(status) && now - lastReportAt > limits.importStaleMs ? 'interrupted' : status
}

/** Whether a run can start, has already started, or is refused, and why. */
export function decideStart(kind: ImportRunKind, status: ImportStatus, problemCount: number): StartDecision {
  switch (status) {
    case 'uploading':
      return kind === 'check' ? 'start' : { refused: 'This file has not been checked yet.' }
    case 'checking':
      return kind === 'check' ? 'already started' : { refused: 'This file is still being checked.' }
    case 'checked':
      return kind === 'check' || problemCount === 0 ? 'start' : { refused: 'This file has problems.' }
    case 'refused':
      return kind === 'check' ? 'start' : { refused: 'This file has problems. Check it again, or choose another file.' }
    case 'interrupted':
      return 'start'
    case 'applying':
      return kind === 'apply' ? 'already started' : { refused: 'This import is running.' }
    case 'applied':
      return kind === 'apply' ? 'already started' : { refused: 'This import has already been applied.' }
  }
}
