import type { AuditEntry } from '@watchline/contracts/audit'
import { limits } from '@watchline/contracts/limits'
import type { ImportProblem, PeopleImport } from '@watchline/contracts/people-imports'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { importPeople } from '../../actions/import-people.ts'
import type { AuthContext } from '../../context.ts'
import { emailsOf, type ImportRow, planImport, sortProblems } from '../../rules/people-import/plan.ts'
import type { ImportRecord, ImportResult } from '../../store/imports.ts'
import { type PeopleFile, readPeopleFile } from './read-people-file.ts'

const tellEveryMs = 300
/** An import that has nothing new to tell shows that it lives. */
const heartbeatMs = limits.importSilentMs / 5

export interface ImportRunner extends Lifecycle {
  /** Begins in this process what the store has let begin; `getImport` tells how it goes. */
  check(begun: ImportRecord): void
  apply(begun: ImportRecord, by: NonNullable<AuditEntry['by']>): void
}

type Ctx = Pick<AuthContext, 'imports' | 'invited' | 'outbox' | 'audit' | 'clock' | 'log'>

/** Works on imports in the background of the process that was asked; a stop breaks them off with nothing done. */
export function createImportRunner(ctx: Ctx): ImportRunner {
  const { imports, invited, clock, log } = ctx
  let signal = AbortSignal.abort(new Error('not started'))
  const running = new Set<Promise<void>>()

  async function check({ id, parts }: ImportRecord, progress: Progress): Promise<ImportResult> {
    const { rows, problems } = await read(id, parts)
    progress.of(rows.length)
    const emails = emailsOf(rows)
    const known = await invited.findAllByEmail(emails, undefined, done => {
      signal.throwIfAborted()
      progress.at(Math.floor((rows.length * done) / emails.length))
    })
    const verdict = planImport(rows, known)
    const all = sortProblems([...problems, ...verdict.problems])
    return {
      status: all.length > 0 ? 'refused' : 'checked',
      progress: { done: rows.length, total: rows.length },
      problems: all,
      counts: all.length > 0 ? undefined : verdict.plan?.counts,
    }
  }

  async function apply(
    begun: ImportRecord,
    by: NonNullable<AuditEntry['by']>,
    progress: Progress,
  ): Promise<ImportResult> {
    const { id, run, parts, fileName } = begun
    const { rows, problems } = await read(id, parts)
    progress.of(rows.length)
    if (problems.length > 0) return { status: 'refused', problems }
    const order = { importId: id, run: run!, fileName, by, rows, onProgress: progress.at, signal }
    const verdict = await importPeople(ctx, order)
    if (!verdict.plan) return { status: 'refused', problems: verdict.problems }
    await tidyUp(id, rows)
    return { status: 'applied' }
  }

  /** What may follow the transaction. It is finished even at a stop; without it the next start and a day's end do the same. */
  async function tidyUp(id: string, rows: readonly ImportRow[]) {
    try {
      await invited.addSearchWords(emailsOf(rows))
      await imports.deleteParts(id)
    } catch (error) {
      log.warn({ err: error, import: id }, 'who was brought in cannot be searched for before the next start')
    }
  }

  async function read(id: string, parts: number): Promise<PeopleFile> {
    const text = await imports.text(id, parts)
    if (text === undefined) throw new Error('the file of an import is no longer all there')
    return readPeopleFile(text, signal)
  }

  /** One run from its beginning to its end, whatever that is. Never rejects. */
  async function follow({ id, run }: ImportRecord, work: (progress: Progress) => Promise<ImportResult>): Promise<void> {
    const progress = createProgressReporter(state => imports.reportProgress(run!, state, clock.now()))
    let result: ImportResult
    try {
      signal.throwIfAborted()
      result = await work(progress)
    } catch (error) {
      result = isTooLarge(error) ? { status: 'refused', problems: [tooLarge] } : { status: 'interrupted' }
      if (!signal.aborted) log.error({ err: error, import: id }, 'an import broke off')
    }
    await progress.stop()
    try {
      // Who was brought in was told so with it, in one.
      if (result.status !== 'applied') await imports.end(id, run!, result)
    } catch (error) {
      log.warn({ err: error, import: id }, 'an import could not tell its end; its silence will')
    }
  }

  function begin(begun: ImportRecord, work: (progress: Progress) => Promise<ImportResult>) {
    const run = follow(begun, work).finally(() => running.delete(run))
    running.add(run)
  }

  return {
    check: begun => begin(begun, progress => check(begun, progress)),
    apply: (begun, by) => begin(begun, progress => apply(begun, by, progress)),
    start: stopping => {
      signal = stopping
    },
    stop: async () => {
      await Promise.all(running)
    },
  }
}

const tooLarge: ImportProblem = {
  line: 1,
  column: null,
  message:
    'The database has no room for so many people in one step. Split the file, or have MongoDB given a larger cache.',
}

/** MongoDB's TransactionTooLargeForCache. */
function isTooLarge(error: unknown): boolean {
  return Object(error).code === 388
}

interface Progress {
  of(total: number): void
  at(done: number): void
  stop(): Promise<void>
}

/** Tells how far something is, at most every 300 ms, and now and then that it still lives. */
function createProgressReporter(tell: (state: PeopleImport['progress']) => Promise<void>): Progress {
  let state = { done: 0, total: 0 }
  let told: typeof state | undefined
  let toldAt = performance.now()
  let telling: Promise<void> | undefined
  const timer = setInterval(() => {
    if (telling || (state === told && performance.now() - toldAt < heartbeatMs)) return
    told = state
    toldAt = performance.now()
    telling = tell(state)
      .catch(() => {})
      .finally(() => {
        telling = undefined
      })
  }, tellEveryMs)
  return {
    of: total => {
      state = { done: 0, total }
    },
    at: done => {
      state = { ...state, done }
    },
    stop: async () => {
      clearInterval(timer)
      await telling
    },
  }
}
