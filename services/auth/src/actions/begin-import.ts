import { fail } from '@watchline/kit/core/errors'
import { newId } from '@watchline/kit/mongo/database'
import type { AuthContext } from '../context.ts'
import { decideStart, type ImportTask } from '../rules/import-state.ts'
import type { ImportRecord } from '../store/imports.ts'

/**
 * Begins a task of an import, if it may be: of many calls at any number of replicas one gets `begun` and does the work, the others are
 * answered with what is under way.
 */
export async function beginImport(
  { imports, clock }: Pick<AuthContext, 'imports' | 'clock'>,
  id: string,
  task: ImportTask,
): Promise<{ state: ImportRecord; begun: boolean }> {
  for (;;) {
    const seen = await imports.find(id, clock.now())
    if (!seen) fail('not_found')
    const may = decideStart(task, seen.status, seen.problemCount)
    if (may === 'under way') return { state: seen, begun: false }
    if (may !== 'begin') fail('conflict', { detail: may.refused })
    if (!seen.isComplete) fail('conflict', { detail: 'The file is not all here yet. Please choose it again.' })
    const begun = await imports.begin(seen, task === 'check' ? 'checking' : 'applying', newId(), clock.now())
    // Changed between the two: what it is now decides.
    if (begun) return { state: begun, begun: true }
  }
}
