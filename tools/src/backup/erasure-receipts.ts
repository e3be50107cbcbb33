import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import mongoose from 'mongoose'
import { z } from 'zod'
import { BackupError } from './backup-error.ts'

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

/** All receipts known beside a backup: `erasures.json` in the folder that contains its folder. */
export function readReceiptList(backupFolder: string): Receipt[] {
  const file = listFile(backupFolder)
  if (!existsSync(file)) return []
  const parsed = z.array(receipt).safeParse(EJSON.parse(readFileSync(file, 'utf8')))
  if (!parsed.success) throw new BackupError(`${file} is not a list of erasures that this version can read.`)
  return parsed.data
}

/**
 * Adds receipts to the list beside the backups. A restore of any of these then erases the people
 * again who were erased after it, also when the databases are lost.
 */
export function addToReceiptList(backupFolder: string, receipts: readonly Receipt[]): void {
  const listed = readReceiptList(backupFolder)
  const merged = mergeReceipts([...listed, ...receipts])
  if (merged.length === listed.length) return
  const file = listFile(backupFolder)
  writeFileSync(`${file}.unfinished`, `${EJSON.stringify(merged, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.unfinished`, file)
}

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

function mergeReceipts(receipts: readonly Receipt[]): Receipt[] {
  return [...new Map(receipts.map(row => [row._id, row])).values()]
}

function listFile(backupFolder: string): string {
  return join(dirname(backupFolder), 'erasures.json')
}
