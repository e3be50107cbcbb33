import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import mongoose from 'mongoose'
import { z } from 'zod'
import type { Log } from '../provision/types.ts'
import { BackupError } from './backup-error.ts'
import { type BackupKeys, isSignedBy, keyAdvice, sign } from './keys.ts'
import type { Verification } from './manifest.ts'

const { EJSON } = mongoose.mongo.BSON

/** The receipt of an erasure as auth stores it; it names nobody. */
const receipt = z.looseObject({ _id: z.string(), erasure_id: z.string() })
export type Receipt = z.infer<typeof receipt>

const receiptsOf = (client: mongoose.mongo.MongoClient, databasePrefix: string) =>
  client.db(`${databasePrefix}-auth`).collection<Receipt>('erasure_receipts')

/** The receipts in the present databases. */
export async function readReceipts(client: mongoose.mongo.MongoClient, databasePrefix: string): Promise<Receipt[]> {
  return (await receiptsOf(client, databasePrefix).find().toArray()) as Receipt[]
}

/**
 * As a file: signed, so that nobody adds or removes an erasure. Earlier versions wrote the array.
 */
const list = z.union([
  z.object({ watchline: z.literal('erasures'), receipts: z.array(z.unknown()), signature: z.string() }),
  z.array(z.unknown()),
])

/**
 * All receipts known beside a backup: `erasures.json` in the folder that contains its folder.
 * Throws a BackupError for a list that these keys did not sign, and, if `isExpected`, for a missing
 * one. With `unsigned` it accepts both.
 */
export function readReceiptList(backupFolder: string, verification: Verification, isExpected = false): Receipt[] {
  const file = listFile(backupFolder)
  const { keys, unsigned } = verification
  if (!existsSync(file)) {
    if (isExpected && !unsigned)
      throw new BackupError(
        `${file} is missing, so people who were erased after the backup would come back. Copy it there. If nobody was erased since, add --unsigned.`,
      )
    return []
  }
  const parsed = list.safeParse(parseJson(readFileSync(file, 'utf8')))
  if (!parsed.success) throw unreadable(file)
  const isArray = Array.isArray(parsed.data)
  if (!unsigned) {
    if (isArray)
      throw new BackupError(
        `${file} has no signature, so anybody may have changed it. If an older version made it and you trust it, add --unsigned.`,
      )
    if (!keys) throw new BackupError(`The key that compares the signature of ${file} is missing. ${keyAdvice}`)
    const { receipts, signature } = parsed.data as Exclude<typeof parsed.data, unknown[]>
    if (!isSignedBy(signedContent(receipts), signature, keys))
      throw new BackupError(`${file} differs from its signature. It was changed, or made with another key.`)
  }
  const stored = Array.isArray(parsed.data) ? parsed.data : parsed.data.receipts
  const receipts = z.array(receipt).safeParse(EJSON.deserialize(stored as unknown as mongoose.mongo.BSON.Document))
  if (!receipts.success) throw unreadable(file)
  return receipts.data
}

/**
 * Writes the list beside the backups. A restore of any of these then erases the people again who
 * were erased after it, also when the databases are lost. Without keys the list has no signature.
 */
export function writeReceiptList(
  backupFolder: string,
  receipts: readonly Receipt[],
  keys: BackupKeys | undefined,
): void {
  const file = listFile(backupFolder)
  const stored = EJSON.serialize(mergeReceipts(receipts)) as unknown as unknown[]
  const content = keys
    ? { watchline: 'erasures', receipts: stored, signature: sign(signedContent(stored), keys) }
    : stored
  writeFileSync(`${file}.unfinished`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.unfinished`, file)
}

/**
 * Adds the receipts of the databases to the list. It never signs what it cannot verify: it sets
 * such a list aside and begins a new one. The databases have the receipts of all earlier erasures.
 */
export function addToReceiptList(backupFolder: string, receipts: readonly Receipt[], keys: BackupKeys, log: Log): void {
  writeReceiptList(backupFolder, [...readOrSetAside(backupFolder, keys, log), ...receipts], keys)
}

function readOrSetAside(backupFolder: string, keys: BackupKeys, log: Log): Receipt[] {
  try {
    return readReceiptList(backupFolder, { keys, unsigned: false })
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    const file = listFile(backupFolder)
    const aside = `${file}.unverified-${Date.now()}`
    renameSync(file, aside)
    log(`${error.message.split('. If ')[0]}`)
    log(`It is now ${aside}. The new list has the erasures of the present databases.`)
    return []
  }
}

/** The prefix separates it from manifests, which the same key signs. */
const signedContent = (receipts: readonly unknown[]) => Buffer.from(`erasures\n${JSON.stringify(receipts)}`)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const unreadable = (file: string) => new BackupError(`${file} is not a list of erasures that this version can read.`)

/**
 * Marks the erasures that the restored databases do not have. Auth repeats them at its start,
 * before anybody can sign in. Returns their number.
 */
export async function markErasures(
  client: mongoose.mongo.MongoClient,
  databasePrefix: string,
  receipts: readonly Receipt[],
): Promise<number> {
  const stored = receiptsOf(client, databasePrefix)
  const known = new Set((await readReceipts(client, databasePrefix)).map(({ _id }) => _id))
  const missing = mergeReceipts(receipts).filter(({ _id }) => !known.has(_id))
  if (missing.length > 0) await stored.insertMany(missing.map(row => ({ ...row, services: {}, repeat: true })))
  return missing.length
}

export function mergeReceipts(receipts: readonly Receipt[]): Receipt[] {
  return [...new Map(receipts.map(row => [row._id, row])).values()]
}

function listFile(backupFolder: string): string {
  return join(dirname(backupFolder), 'erasures.json')
}
