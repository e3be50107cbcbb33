import { fail } from '@watchline/kit/core/errors'
import { newId } from '@watchline/kit/mongo/database'
import type { AuthContext } from '../context.ts'
import { decideStart, type ImportRunKind } from '../rules/import-state.ts'
import type { ImportRecord } from '../store/imports.ts'

/**
 * Starts a run of an import. Exactly one of several concurrent calls, at any number of
 * replicas, gets `isNew` and does the work. The others get the state of the run in progress.
 */
export async function startImportRun(
  { imports, clock }: Pick<AuthContext, 'imports' | 'clock'>,
  id: string,
  kind: ImportRunKind,
): Promise<{ state: ImportRecord; isNew: boolean }> {
  for (;;) {
    const current = await imports.find(id, clock.now())
    if (!current) fail('not_found')
    const decision = decideStart(kind, current.status, current.problemCount)
    if (decision === 'already started') return { state: current, isNew: false }
    if (decision !== 'start') fail('conflict', { detail: decision.refused })
    if (!current.isComplete) fail('conflict', { detail: 'The file has not been uploaded completely. Choose it again.' })
    const status = kind === 'check' ? 'checking' : 'applying'
    const started = await imports.startRun(current, status, newId(), clock.now())
    if (started) return { state: started, isNew: true }
    // The import has changed since it was read, so its new state decides.
  }
}
