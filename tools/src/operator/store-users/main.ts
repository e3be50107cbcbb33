// `node tools/src/operator/store-users/main.ts <folder> [rabbitmq] [redis]`
// Writes the users of RabbitMQ and Redis, with their rights, as files that the stores load at their
// start. The passwords are those in the addresses of the services. The rights follow from this
// version's code, so run it before the stores start, at each update.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { baseVariables, ConfigError, readConfig, variable } from '@watchline/kit/process/config'
import { z } from 'zod'
import { brokerDefinitions, preparedMark } from './broker-definitions.ts'
import { brokerUsers, redisUsers } from './names.ts'
import { redisAclFile } from './redis-users.ts'

const stores = {
  rabbitmq: { file: 'definitions.json', content: rabbitContent },
  redis: { file: 'users.acl', content: redisContent },
} as const

export function writeStoreUsers(env: NodeJS.ProcessEnv, folder: string, names: readonly (keyof typeof stores)[]): void {
  const contents = names.map(name => ({ file: join(folder, stores[name].file), content: stores[name].content(env) }))
  mkdirSync(folder, { recursive: true })
  for (const { file, content } of contents) {
    // The stores run as other users. The files hold hashes of long random passwords only.
    writeFileSync(`${file}.new`, content, { mode: 0o444 })
    renameSync(`${file}.new`, file)
  }
}

function rabbitContent(env: NodeJS.ProcessEnv): string {
  const { amqpExchange } = readConfig(env, { amqpExchange: baseVariables.amqpExchange })
  const definitions = brokerDefinitions(amqpExchange, readPasswords(env, 'AMQP_URL', brokerUsers))
  const exchanges = [...definitions.exchanges, ...preparedMark(amqpExchange).exchanges]
  return JSON.stringify({ ...definitions, exchanges }, null, 2)
}

function redisContent(env: NodeJS.ProcessEnv): string {
  const { redisPrefix } = readConfig(env, { redisPrefix: baseVariables.redisPrefix })
  return redisAclFile(redisPrefix, readPasswords(env, 'REDIS_URL', redisUsers))
}

/** The passwords in `<prefix>_<NAME>`, addresses like those of the services. */
function readPasswords<Name extends string>(
  env: NodeJS.ProcessEnv,
  prefix: string,
  names: readonly Name[],
): Record<Name, string> {
  const passwords = names.map(name => {
    const setting = `${prefix}_${name.toUpperCase().replaceAll('-', '_')}`
    const address = z.string().refine(value => passwordFor(name, value) !== undefined)
    const { url } = readConfig(env, {
      url: variable(setting, address, `an address of the user ${name} with its password`),
    })
    return [name, passwordFor(name, url)!] as const
  })
  return Object.fromEntries(passwords) as Record<Name, string>
}

function passwordFor(name: string, value: string): string | undefined {
  const url = URL.parse(value)
  return url && url.username === name && url.password ? decodeURIComponent(url.password) : undefined
}

if (import.meta.main) {
  const [folder, ...requested] = process.argv.slice(2)
  const names = Object.keys(stores) as (keyof typeof stores)[]
  if (!folder || requested.some(name => !(names as string[]).includes(name))) {
    console.error(`usage: node tools/src/operator/store-users/main.ts <folder> [${names.join('] [')}]`)
    process.exit(2)
  }
  try {
    const chosen = requested.length > 0 ? names.filter(name => requested.includes(name)) : names
    writeStoreUsers(process.env, folder, chosen)
    console.log(`The users of ${chosen.join(' and ')} are in ${folder}`)
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  }
}
