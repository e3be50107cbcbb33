import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@watchline/contracts/operation'
import { brokerUsers, redisUsers } from '../operator/store-users/names.ts'
import { generateSecrets } from '../start/secrets.ts'

/** Secrets that only the organisation knows. Their files start empty. Empty means absent. */
export const filledInByHand = ['oidc_client_secret', 'youtube_api_key'] as const

/**
 * New secrets for a container deployment, by file name, for the services and the bundled stores.
 * The stores' hosts are mongodb, rabbitmq and redis. In a cluster `domain` is `<namespace>.svc`,
 * because other namespaces reach the stores too: KEDA reads the queues.
 */
export function deploymentSecrets(domain?: string): Record<string, string> {
  const host = (name: string) => (domain ? `${name}.${domain}` : name)
  const own = Object.fromEntries(
    Object.entries(generateSecrets()).map(([name, value]) => [name.toLowerCase(), value] as const),
  )
  return {
    ...own,
    admin_setup_token: password().slice(0, 20),
    backup_key: randomBytes(32).toString('hex'),
    mongo_root_password: password(),
    mongo_keyfile: randomBytes(567).toString('base64'),
    ...Object.fromEntries(
      [...serviceNames, 'operator'].map(name => [
        `mongo_url_${name}`,
        `mongodb://${name}:${password()}@${host('mongodb')}:27017/?replicaSet=rs0&authSource=admin`,
      ]),
    ),
    ...Object.fromEntries(
      brokerUsers.map(name => [`amqp_url_${name}`, `amqp://${name}:${password()}@${host('rabbitmq')}:5672`]),
    ),
    ...Object.fromEntries(
      redisUsers.map(name => [`redis_url_${name}`, `redis://${name}:${password()}@${host('redis')}:6379`]),
    ),
    ...Object.fromEntries(filledInByHand.map(name => [name, ''])),
  }
}

// Hexadecimal, so that addresses and configuration files need no escaping.
const password = () => randomBytes(24).toString('hex')

/**
 * Writes new secrets into an empty folder, or the missing ones into a folder of an older version.
 * Never changes a file. Throws if the folder holds anything else. Containers see the owner and mode of the files, and stores run as different users. So the mode of
 * the folder protects the secrets, and the files are readable.
 */
export function writeSecretFiles(folder: string, domain?: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const existing = readdirSync(folder)
  if (existing.length > 0 && !existing.includes('token_private_key'))
    throw new Error(`${folder} is not empty and holds no secrets of Watchline. Name another folder.`)
  const missing = Object.entries(deploymentSecrets(domain)).filter(([name]) => !existing.includes(name))
  for (const [name, value] of missing) writeFileSync(join(folder, name), value, { mode: 0o444, flag: 'wx' })
  return missing.map(([name]) => name)
}
