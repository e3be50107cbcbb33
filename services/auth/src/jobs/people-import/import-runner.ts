import type { ImportProblem } from '@watchline/contracts/people-imports'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { Logger } from '@watchline/kit/observability/log'
import { type ImportPeopleDeps, importPeople } from '../../actions/import-people.ts'
import { planImport } from '../../rules/people-import/plan.ts'
import { emailsOf, type ImportRow, sortProblems } from '../../rules/people-import/rows.ts'
import type { Actor } from '../../store/audit.ts'
import type { ImportRecord, ImportResult } from '../../store/imports.ts'
import { createProgressReporter, type ProgressReporter } from './progress-reporter.ts'
import { type PeopleFile, readPeopleFile } from './read-people-file.ts'

export interface ImportRunner extends Lifecycle {
  /** Starts the work of a run that the store has started. `getImport` returns its progress. */
  check(run: ImportRecord): void
  apply(run: ImportRecord, by: Actor): void
}

export interface ImportRunnerDeps extends ImportPeopleDeps {
  log: Logger
}

type Work = (progress: ProgressReporter) => Promise<ImportResult>

/**
 * Runs imports in the background of the process that got the call. A stop interrupts them without
 * effect.
 */
export function createImportRunner(deps: ImportRunnerDeps): ImportRunner {
  const { imports, invited, clock, log } = deps
  let signal = AbortSignal.abort(new Error('not started'))
  const activeRuns = new Set<Promise<void>>()

  async function check({ id, parts }: ImportRecord, progress: ProgressReporter): Promise<ImportResult> {
    const { rows, problems } = await readFile(id, parts)
    progress.setTotal(rows.length)
    const emails = emailsOf(rows)
    const knownPeople = await invited.findAllByEmail(emails, undefined, done => {
      signal.throwIfAborted()
      progress.setDone(Math.floor((rows.length * done) / emails.length))
    })
    const verdict = planImport(rows, knownPeople)
    const allProblems = sortProblems([...problems, ...verdict.problems])
    return {
      status: allProblems.length > 0 ? 'refused' : 'checked',
      progress: { done: rows.length, total: rows.length },
      problems: allProblems,
      counts: allProblems.length > 0 ? undefined : verdict.plan?.counts,
    }
  }

  async function apply(
    { id, run, parts, fileName }: ImportRecord,
    by: Actor,
    progress: ProgressReporter,
  ): Promise<ImportResult> {
    const { rows, problems } = await readFile(id, parts)
    progress.setTotal(rows.length)
    if (problems.length > 0) return { status: 'refused', problems }
    const onProgress = progress.setDone
    const verdict = await importPeople(deps, { importId: id, run: run!, fileName, by, rows, onProgress, signal })
    if (!verdict.plan) return { status: 'refused', problems: verdict.problems }
    await finishApplied(id, rows)
    return { status: 'applied' }
  }

  /**
   * Work after the transaction. It completes even during a stop; otherwise the next start and the
   * expiry do it.
   */
  async function finishApplied(id: string, rows: readonly ImportRow[]) {
    try {
      await invited.addSearchWords(emailsOf(rows))
      await imports.deleteParts(id)
    } catch (error) {
      log.warn({ err: error, import: id }, 'search words of imported people not added, the next start adds them')
    }
  }

  async function readFile(id: string, parts: number): Promise<PeopleFile> {
    const text = await imports.text(id, parts)
    if (text === undefined) throw new Error('parts of the file of an import are missing')
    return readPeopleFile(text, signal)
  }

  /** One run from start to end; never rejects. */
  async function execute({ id, run }: ImportRecord, work: Work): Promise<void> {
    const progress = createProgressReporter(state => imports.reportProgress(run!, state, clock.now()))
    let result: ImportResult
    try {
      signal.throwIfAborted()
      result = await work(progress)
    } catch (error) {
      result = isTooLarge(error) ? { status: 'refused', problems: [tooLarge] } : { status: 'interrupted' }
      if (!signal.aborted) log.error({ err: error, import: id }, 'import failed, an administrator can start it again')
    }
    await progress.stop()
    try {
      // An applied import recorded its end in its own transaction.
      if (result.status !== 'applied') await imports.endRun(id, run!, result)
    } catch (error) {
      log.warn({ err: error, import: id }, 'import result not recorded; it will be marked as interrupted')
    }
  }

  function startWork(run: ImportRecord, work: Work) {
    const execution = execute(run, work).finally(() => activeRuns.delete(execution))
    activeRuns.add(execution)
  }

  return {
    check: run => startWork(run, progress => check(run, progress)),
    apply: (run, by) => startWork(run, progress => apply(run, by, progress)),
    start: stopping => {
      signal = stopping
    },
    stop: async () => {
      await Promise.all(activeRuns)
    },
  }
}

const tooLarge: ImportProblem = {
  line: 1,
  column: null,
  message: 'The database has no room for so many people in one step. Split the file, or give MongoDB a larger cache.',
}

/** MongoDB's TransactionTooLargeForCache. */
function isTooLarge(error: unknown): boolean {
  return Object(error).code === 388
}
