import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { consumersOf, events } from '@watchline/contracts/events'
import {
  type DeadLetter,
  deadLetterId,
  type EventBus,
  parseDeadLetter,
  type QueueDepth,
} from '@watchline/kit/messaging/event-bus'
import type { StoredDeadLetter } from '@watchline/kit/messaging/in-process/dead-letters'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { baseVariables, ConfigError, readConfig } from '@watchline/kit/process/config'
import { runningMongo } from '../provision/mongo.ts'
import { createDeadLetterFile } from './dead-letter-file.ts'
import { dataFolder, runningSystem } from './running-system.ts'

/** The dead letters of a system, in RabbitMQ or in a file. */
export interface DeadLetterAccess extends Pick<EventBus, 'deadLetters' | 'redrive' | 'drop' | 'depth'> {
  /** The effect of a redrive, for the command's output. */
  redriveEffect: string
  close(): Promise<void>
}

/** The services that consume events and so may have dead letters. */
export const groups: readonly string[] = [...new Set(Object.values(events).flatMap(event => event.consumers))]

/**
 * The dead letters on RabbitMQ, by AMQP_URL or a running `make up`. Otherwise those in the file of
 * the instance in DATA_DIR.
 */
export async function openDeadLetters(env: NodeJS.ProcessEnv): Promise<DeadLetterAccess> {
  const system = runningSystem(env, 'AMQP_URL')
  if (system) return openRabbit(system.env)
  const dataDir = dataFolder(env)
  if (!existsSync(join(dataDir, 'mongo')))
    throw new ConfigError(
      `There are no data in ${dataDir}. Set AMQP_URL (and AMQP_EXCHANGE) to the services' broker, or DATA_DIR to Watchline's data folder.`,
    )
  return openFile(dataDir)
}

async function openRabbit(env: NodeJS.ProcessEnv): Promise<DeadLetterAccess> {
  const { amqpUrl, amqpExchange, amqpServiceUsers } = baseVariables
  const config = readConfig(env, { amqpUrl, amqpExchange, amqpServiceUsers })
  const bus = await createRabbitBus({
    url: config.amqpUrl!,
    exchange: config.amqpExchange,
    hasServiceUsers: config.amqpServiceUsers,
    consumersOf,
  })
  const problem = bus.health()
  if (problem) {
    await bus.close()
    throw new ConfigError(problem)
  }
  const { deadLetters, redrive, drop, depth, close } = bus
  return { deadLetters, redrive, drop, depth, close, redriveEffect: 'sent again' }
}

/**
 * A running instance rewrites the file from memory, so the file may change only while it is
 * stopped.
 */
function openFile(dataDir: string): DeadLetterAccess {
  const file = createDeadLetterFile(join(dataDir, 'dead-letters.json'))
  const lettersOf = (group: string) => file.load().filter(letter => letter.group === group)

  async function refuseWhileRunning() {
    if (await runningMongo(join(dataDir, 'mongo')))
      throw new ConfigError(`Watchline is running on ${dataDir}. Stop it, repeat this command, then start it again.`)
  }

  return {
    redriveEffect: 'will be sent again at the next start',
    deadLetters: async group => lettersOf(group).map(letterOf),
    depth: async (group): Promise<QueueDepth> => ({ waiting: 0, dead: lettersOf(group).length }),
    redrive: async (group, ids) => {
      await refuseWhileRunning()
      let count = 0
      const letters = file.load().map((letter): StoredDeadLetter => {
        if (letter.group !== group || (ids && !ids.includes(letterOf(letter).id))) return letter
        count += 1
        return { ...letter, again: true }
      })
      if (count > 0) file.save(letters)
      return count
    },
    drop: async (group, ids, beforeDrop) => {
      await refuseWhileRunning()
      const letters = file.load()
      const dropped = letters.filter(
        letter => letter.group === group && (ids === 'all' || ids.includes(letterOf(letter).id)),
      )
      for (const letter of dropped) await beforeDrop(letterOf(letter))
      if (dropped.length > 0) file.save(letters.filter(letter => !dropped.includes(letter)))
      return dropped.length
    },
    close: async () => {},
  }
}

function letterOf({ text, reason, at, tries = [] }: StoredDeadLetter): DeadLetter {
  const event = parseDeadLetter(text)
  return { id: deadLetterId(text, event), event, reason, at, tries }
}
