import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { flag, readConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'
import { dataFolder } from '../operator/running-system.ts'
import { BackupError } from './backup-error.ts'

/** Two keys from one secret, because a signature and a cipher must not share a key. */
export interface BackupKeys {
  signing: Buffer
  encryption: Buffer
}

export const keyAdvice = 'Set BACKUP_KEY_FILE, or DATA_DIR to the folder of the instance that made the backup.'

const variables = {
  key: variable('BACKUP_KEY', z.string().min(32).optional(), 'at least 32 characters'),
  encrypts: variable('BACKUP_ENCRYPTION', flag.default(false), 'true or false'),
}

export function deriveKeys(secret: string): BackupKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `watchline backup ${purpose}`, 32))
  return { signing: derive('signature'), encryption: derive('encryption') }
}

/**
 * The keys of BACKUP_KEY, else of the file in the data folder. With `creates` a missing file is
 * created.
 */
export function readBackupSettings(env: NodeJS.ProcessEnv, { creates }: { creates: boolean }) {
  const { key, encrypts } = readConfig(env, variables)
  const file = join(dataFolder(env), 'secrets', 'backup_key')
  if (key === undefined && creates && !existsSync(file)) createKeyFile(file)
  const secret = key ?? (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined)
  return { keys: secret === undefined ? undefined : deriveKeys(secret), encrypts }
}

function createKeyFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    // Another backup has just created it.
    if (code === 'EEXIST') return
    throw new BackupError(`The key for backups cannot be stored (${message}). Set BACKUP_KEY_FILE to a file with one.`)
  }
}

export function sign(content: Buffer, keys: BackupKeys): string {
  return createHmac('sha256', keys.signing).update(content).digest('hex')
}

export function isSignedBy(content: Buffer, signature: string, keys: BackupKeys): boolean {
  const [expected, actual] = [Buffer.from(sign(content, keys)), Buffer.from(signature.trim())]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
