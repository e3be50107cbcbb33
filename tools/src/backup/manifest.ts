import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@watchline/contracts/operation'
import mongoose from 'mongoose'
import { z } from 'zod'
import { BackupError } from './backup-error.ts'
import { type BackupKeys, isSignedBy, keyAdvice, sign } from './keys.ts'

const { EJSON } = mongoose.mongo.BSON

const collection = z.object({
  documents: z.number().int(),
  /** The checksum of the stored file. */
  sha256: z.string(),
  options: z.record(z.string(), z.unknown()),
  indexes: z.array(z.looseObject({ key: z.record(z.string(), z.unknown()), name: z.string() })),
})

/**
 * A backup is this manifest, its signature and files `<service>/<collection>.bson.gz` in
 * mongodump's format, all as of one instant. Encrypted files have `.aes` at the end of their names.
 * The manifest is MongoDB's extended JSON, because indexes may contain dates.
 */
const manifest = z.object({
  watchline: z.literal('backup'),
  /** 2: the files are encrypted. */
  format: z.union([z.literal(1), z.literal(2)]),
  version: z.string(),
  /** The instant by MongoDB's clock, ISO 8601. */
  at: z.string(),
  /** Absent in backups of earlier versions, which have a list of erasures only after an erasure. */
  has_erasure_list: z.literal(true).optional(),
  databases: z.partialRecord(z.enum(serviceNames), z.record(z.string(), collection)),
})

export type Manifest = z.infer<typeof manifest>
export type CollectionEntry = z.infer<typeof collection>

const manifestFile = (folder: string) => join(folder, 'manifest.json')
const signatureFile = (folder: string) => join(folder, 'manifest.sig')

/** A collection's path in the backup. */
export const nameOf = (service: string, collection: string) => `${service}/${collection}`

export function dataFile(folder: string, { format }: Pick<Manifest, 'format'>, service: string, name: string): string {
  return join(folder, service, `${name}.bson.gz${format === 2 ? '.aes' : ''}`)
}

export interface Verification {
  keys: BackupKeys | undefined
  /** Accepts a backup without comparing its signature. */
  unsigned: boolean
}

/** Throws a BackupError for a manifest that these keys did not sign. */
export function readManifest(folder: string, { keys, unsigned }: Verification): Manifest {
  const file = manifestFile(folder)
  if (!existsSync(file)) throw new BackupError(`${folder} holds no backup: it has no manifest.json.`)
  const content = readFileSync(file)
  if (!unsigned) verifySignature(folder, content, keys)
  const parsed = manifest.safeParse(EJSON.parse(content.toString('utf8')))
  if (!parsed.success) throw new BackupError(`${file} is not the manifest of a backup that this version can read.`)
  if (parsed.data.format === 2 && !keys) throw new BackupError(`${folder} is encrypted. ${keyAdvice}`)
  return parsed.data
}

function verifySignature(folder: string, content: Buffer, keys: BackupKeys | undefined): void {
  const file = signatureFile(folder)
  if (!existsSync(file))
    throw new BackupError(
      `${folder} has no signature (manifest.sig), so anybody may have changed it. If an older version made it and you trust it, add --unsigned.`,
    )
  if (!keys) throw new BackupError(`The key that compares the signature of ${folder} is missing. ${keyAdvice}`)
  if (!isSignedBy(content, readFileSync(file, 'utf8'), keys))
    throw new BackupError(
      `${manifestFile(folder)} differs from its signature. It was changed, or made with another key.`,
    )
}

export function writeManifest(folder: string, content: Manifest, keys: BackupKeys): void {
  const text = `${EJSON.stringify(content, undefined, 2)}\n`
  writeFileSync(manifestFile(folder), text)
  writeFileSync(signatureFile(folder), `${sign(Buffer.from(text), keys)}\n`)
}
