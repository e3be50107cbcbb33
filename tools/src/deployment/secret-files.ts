import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@watchline/contracts/operation'
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
  const broker = password()
  const live = password()
  return {
    ...own,
    admin_setup_token: password().slice(0, 20),
    mongo_root_password: password(),
    mongo_keyfile: randomBytes(567).toString('base64'),
    ...Object.fromEntries(
      [...serviceNames, 'operator'].map(name => [
        `mongo_url_${name}`,
        `mongodb://${name}:${password()}@${host('mongodb')}:27017/?replicaSet=rs0&authSource=admin`,
      ]),
    ),
    rabbitmq_conf: `default_user = watchline\ndefault_pass = ${broker}\n`,
    amqp_url: `amqp://watchline:${broker}@${host('rabbitmq')}:5672`,
    redis_conf: `requirepass ${live}\n`,
    redis_url: `redis://:${live}@${host('redis')}:6379`,
    ...Object.fromEntries(filledInByHand.map(name => [name, ''])),
  }
}

// Hexadecimal, so that addresses and configuration files need no escaping.
const password = () => randomBytes(24).toString('hex')

/**
 * Writes new secrets into an empty folder. Throws if it holds files, because they may be in use.
 * Containers see the owner and mode of the files, and stores run as different users. So the mode of
 * the folder protects the secrets, and the files are readable.
 */
export function writeSecretFiles(folder: string, domain?: string): string[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty; its secrets may be in use. Name another folder, or empty it first.`)
  const secrets = deploymentSecrets(domain)
  for (const [name, value] of Object.entries(secrets))
    writeFileSync(join(folder, name), value, { mode: 0o444, flag: 'wx' })
  return Object.keys(secrets)
}
