import { createPrivateKey, X509Certificate } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { ConfigError } from './config-error.ts'
import { readSettingFile } from './setting-file.ts'

/** The files of a server certificate, with its chain, and of its private key, in PEM. */
export interface CertificateFiles {
  certFile: string
  keyFile: string
}

/** Server certificate and key in PEM. */
export interface ServerCertificate {
  cert: string
  key: string
}

interface TlsLog {
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A replaced file is in use after this time at the latest. */
const rereadMs = 60_000

let publicAuthorities: string[] | undefined
let trusted = ''

/**
 * Makes every TLS client of this process trust the authorities in the file, beside the public ones.
 * Throws {@link ConfigError} if the file holds no certificate.
 */
export function trustAuthority(file: string): void {
  const pem = readCertificates('TLS_CA_FILE', file)
  if (pem === trusted) return
  publicAuthorities ??= getCACertificates('default')
  setDefaultCACertificates([...publicAuthorities, ...pemBlocks(pem)])
  trusted = pem
}

/**
 * As {@link trustAuthority} for the whole life of a process: a replaced file applies without a
 * restart.
 */
export function keepTrustingAuthority(file: string, log: TlsLog, everyMs = rereadMs): { stop(): void } {
  trustAuthority(file)
  return reread(() => trustAuthority(file), { file, log, everyMs })
}

/** Throws {@link ConfigError} if the files are not a certificate and its key. */
export function readServerCertificate({ certFile, keyFile }: CertificateFiles): ServerCertificate {
  const cert = readCertificates('TLS_CERT_FILE', certFile)
  const key = readPem('TLS_KEY_FILE', keyFile)
  if (!isKeyOf(cert, key))
    throw new ConfigError(
      `TLS_KEY_FILE: "${keyFile}" was given, accepted is the private key of the certificate in TLS_CERT_FILE, in PEM`,
    )
  return { cert, key }
}

/**
 * Calls `apply` whenever the files have another certificate. While they do not match, because
 * somebody is replacing them, the previous certificate stays.
 */
export function watchServerCertificate(
  files: CertificateFiles,
  {
    log,
    apply,
    everyMs = rereadMs,
  }: { log: TlsLog; apply(certificate: ServerCertificate): void; everyMs?: number | undefined },
): { stop(): void } {
  let current = readServerCertificate(files)
  return reread(
    () => {
      const next = readServerCertificate(files)
      if (next.cert === current.cert && next.key === current.key) return
      apply(next)
      current = next
      log.info({ file: files.certFile }, 'server certificate replaced')
    },
    { file: files.certFile, log, everyMs },
  )
}

function reread(read: () => void, { file, log, everyMs }: { file: string; log: TlsLog; everyMs: number }) {
  // Not a watcher: Kubernetes replaces files by links, of which watchers miss some.
  const timer = setInterval(() => {
    try {
      read()
    } catch (error) {
      const reason = (error as Error).message
      log.error({ file, reason }, 'replaced certificate cannot be read, the previous one stays in use')
    }
  }, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

function readCertificates(setting: string, file: string): string {
  const pem = readPem(setting, file)
  try {
    const blocks = pemBlocks(pem)
    if (blocks.length === 0) throw new Error('no certificate')
    for (const block of blocks) new X509Certificate(block)
  } catch {
    throw new ConfigError(`${setting}: "${file}" was given, accepted is a file of certificates in PEM`)
  }
  return pem
}

function readPem(setting: string, file: string): string {
  return readSettingFile(setting, file, 'a file in PEM')
}

const pemBlocks = (pem: string) => pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []

function isKeyOf(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}
