import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@watchline/contracts/operation'
import mongoose from 'mongoose'
import { z } from 'zod'

const { EJSON } = mongoose.mongo.BSON

const collection = z.object({
  documents: z.number().int(),
  /** The checksum of the compressed file. */
  sha256: z.string(),
  options: z.record(z.string(), z.unknown()),
  indexes: z.array(z.looseObject({ key: z.record(z.string(), z.unknown()), name: z.string() })),
})

/**
 * A backup is this manifest and files `<service>/<collection>.bson.gz` in mongodump's format, all
 * as of one instant. The manifest is MongoDB's extended JSON, because indexes may contain dates.
 */
const manifest = z.object({
  watchline: z.literal('backup'),
  format: z.literal(1),
  version: z.string(),
  /** The instant by MongoDB's clock, ISO 8601. */
  at: z.string(),
  databases: z.partialRecord(z.enum(serviceNames), z.record(z.string(), collection)),
})

export type Manifest = z.infer<typeof manifest>
export type CollectionEntry = z.infer<typeof collection>

/** A problem that the operator can fix. The message is enough, without a stack. */
export class BackupError extends Error {}

const manifestFile = (folder: string) => join(folder, 'manifest.json')
export const dataFile = (folder: string, service: string, name: string) => join(folder, service, `${name}.bson.gz`)

export function readManifest(folder: string): Manifest {
  const file = manifestFile(folder)
  if (!existsSync(file)) throw new BackupError(`${folder} holds no backup: it has no manifest.json.`)
  const parsed = manifest.safeParse(EJSON.parse(readFileSync(file, 'utf8')))
  if (!parsed.success) throw new BackupError(`${file} is not the manifest of a backup that this version can read.`)
  return parsed.data
}

export function writeManifest(folder: string, content: Manifest): void {
  writeFileSync(manifestFile(folder), `${EJSON.stringify(content, undefined, 2)}\n`)
}
