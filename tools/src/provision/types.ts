import type { Guarded } from './guard.ts'

export type Log = (line: string) => void

/** A server to use until stop(). stop() does nothing if the environment named the server. */
export interface Provisioned {
  readonly url: string
  /** Absent if the environment named the server. */
  readonly guard?: Guarded
  stop(): Promise<void>
}

/** PEM files. The certificate is for 127.0.0.1, and the authority in `caFile` has signed it. */
export interface TlsFiles {
  caFile: string
  certFile: string
  keyFile: string
}

export interface ProvisionOptions {
  /** The server's own folder; created if missing. */
  dataDir: string
  /** Keeps downloads for the next start. */
  cacheDir?: string
  port?: number
  /** Ignores the environment's URL. For callers that kill the server. */
  alwaysStart?: boolean
  /** The server speaks TLS only. Only for a local program, not in a container. */
  tls?: TlsFiles
  log: Log
}

/** A problem that a person can fix. The message suffices, without a stack. */
export class ProvisionError extends Error {
  override name = 'ProvisionError'
}
