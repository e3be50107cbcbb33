import type { Guarded } from './guard.ts'

export type Log = (line: string) => void

/** A server somebody may use until stop(). One that was given by its URL is left alone by stop(). */
export interface Provisioned {
  readonly url: string
  /** Absent when it was given by its URL. */
  readonly guard?: Guarded
  stop(): Promise<void>
}

export interface ProvisionOptions {
  /** the server's own folder; made if missing */
  dataDir: string
  /** what is downloaded once and kept */
  cacheDir?: string
  port?: number
  /** Started here, whatever URL the environment gives: it is going to be killed. */
  alwaysStart?: boolean
  log: Log
}

/** What a person can put right: one message, no stack worth showing. */
export class ProvisionError extends Error {
  override name = 'ProvisionError'
}
