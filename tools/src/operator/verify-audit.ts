import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type AuditLog, openAuditLog } from '../../../services/auth/src/actions/open-audit-log.ts'
import { AdminCommandError } from '../../../services/auth/src/actions/reset-admin-password.ts'
import { type AuditVerdict, verifyAudit } from '../../../services/auth/src/actions/verify-audit.ts'
import { readDatabaseConfig } from '../../../services/auth/src/config.ts'

interface Checkpoint {
  seq: number
  hash: string
}

/** A place and a hash, as the log line "audit chain checkpoint" has them: `<seq>:<hash>`. */
export function readCheckpoint(text: string | undefined): Checkpoint | undefined {
  if (text === undefined) return undefined
  const [, seq, hash] = /^(\d{1,15}):([\da-f]{64})$/.exec(text) ?? []
  if (!seq || !hash) throw new AdminCommandError('A checkpoint is a number, a colon and 64 hexadecimal digits.')
  return { seq: Number(seq), hash }
}

/** Checks an exported file (JSON Lines). False if an entry is wrong. */
export async function verifyAuditFile(path: string, checkpoint: Checkpoint | undefined): Promise<boolean> {
  if (!existsSync(path)) throw new AdminCommandError(`There is no file ${path}.`)
  return report(await verifyAudit(readLines(path), { mayBeginLater: true, checkpoint }))
}

/** The number of the entry with which the operator knows the chain to begin. */
export function readFirst(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new AdminCommandError('--first needs the number of an entry.')
  return Number(text)
}

/** Checks the database. False if an entry is wrong. */
export async function verifyAuditDatabase(
  mongoUrl: string,
  expectation: { checkpoint: Checkpoint | undefined; knownFirst: number | undefined },
): Promise<boolean> {
  const env = { ...process.env, MONGO_URL: mongoUrl, MONGO_URL_FILE: undefined }
  const log: AuditLog = await openAuditLog(readDatabaseConfig(env))
  try {
    const verdict = await log.verify(expectation)
    const isWhole = report(verdict)
    if (isWhole && verdict.first !== undefined && verdict.first > 1)
      console.log(`The entries before ${verdict.first} expired (RETENTION_AUDIT_DAYS), or somebody removed them.`)
    const waiting = await log.countUnchained()
    if (waiting > 0)
      console.log(`${waiting} entries of an earlier version are not in the chain; the next start of auth adds them.`)
    return isWhole
  } finally {
    await log.close()
  }
}

async function* readLines(path: string): AsyncGenerator<unknown> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line === '') continue
    // A line that is no JSON is reported as a wrong entry, with its place.
    yield parseLine(line)
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function report({ entries, erased, first, head, fault }: AuditVerdict): boolean {
  if (fault) {
    console.error(`The audit log was changed. Entry ${fault.seq} (id ${fault.id}) ${fault.reason}.`)
    return false
  }
  if (entries === 0) {
    console.log('There are no entries.')
    return true
  }
  console.log(`${entries} entries are as they were written, from ${first} to ${head.seq}.`)
  if (erased > 0) console.log(`The details of ${erased} of them were erased; their facts are as they were written.`)
  console.log(`Checkpoint: ${head.seq}:${head.hash}`)
  return true
}
