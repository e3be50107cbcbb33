// `npm run events -- list | show | redrive | drop`: commands for dead letters, which are events
// that a service could not handle. The system is that of AMQP_URL and AMQP_EXCHANGE, else a running
// `make up`, else the instance in DATA_DIR.

import { type DeadLetter, EventBusUnavailable } from '@watchline/kit/messaging/event-bus'
import { ConfigError } from '@watchline/kit/process/config'
import { projectRoot } from '../provision/paths.ts'
import { type DeadLetterAccess, groups, openDeadLetters } from './dead-letters.ts'
import { describeFailure } from './describe-failure.ts'

const usage = `usage: npm run events -- list [service]               counts, or one line per letter: service, id, type, subject, time, reason, attempts
       npm run events -- show <service> [id]           whole events and their failed attempts
       npm run events -- redrive <service> [id …]      sends letters to the service again: these ids, or all
       npm run events -- drop <service> <id …|--all>   removes letters for good; prints each as a line of JSON
services: ${groups.join(', ')}`

const [command = '', service, ...ids] = process.argv.slice(2)
process.chdir(projectRoot)
// If the reader of stdout disconnects, the next write reports it.
process.stdout.on('error', () => {})

const commands: Record<string, (access: DeadLetterAccess) => Promise<boolean>> = {
  list: async access => {
    if (service === undefined) {
      for (const group of groups) await print(await countLine(access, group))
      return true
    }
    for (const letter of await access.deadLetters(service)) await print(lineOf(service, letter))
    return true
  },

  show: async access => {
    const letters = (await access.deadLetters(service!)).filter(({ id }) => ids.length === 0 || ids.includes(id))
    for (const letter of letters) await print(JSON.stringify(letter, null, 2))
    return ids.every(id => letters.some(letter => letter.id === id)) || reportMissing()
  },

  redrive: async access => {
    const count = await access.redrive(service!, ids.length > 0 ? ids : undefined)
    console.error(`${count} ${access.redriveEffect}`)
    return count >= new Set(ids).size || reportMissing()
  },

  drop: async access => {
    const selection = ids[0] === '--all' ? 'all' : ids
    const count = await access.drop(service!, selection, letter => print(JSON.stringify({ service, ...letter })))
    console.error(`${count} dropped`)
    return selection === 'all' || count >= new Set(ids).size || reportMissing()
  },
}

if (!isValidCommand()) {
  console.error(usage)
  process.exit(2)
}
try {
  const access = await openDeadLetters(process.env)
  const isSuccess = await commands[command]!(access)
  await access.close()
  process.exit(isSuccess ? 0 : 1)
} catch (error) {
  console.error(describeFailure(error, [ConfigError, EventBusUnavailable]))
  process.exit(1)
}

function isValidCommand(): boolean {
  if (!Object.hasOwn(commands, command)) return false
  if (service === undefined) return command === 'list'
  if (!groups.includes(service)) return false
  if (command === 'list') return ids.length === 0
  if (command === 'show') return ids.length <= 1 && !ids[0]?.startsWith('--')
  if (command === 'drop' && ids[0] === '--all') return ids.length === 1
  return (command !== 'drop' || ids.length > 0) && !ids.some(id => id.startsWith('--'))
}

/** Resolves once the line is written, so that no letter is removed before it is printed. */
function print(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, error => (error ? reject(error) : resolve()))
  })
}

async function countLine(access: DeadLetterAccess, group: string): Promise<string> {
  const depth = await access.depth(group)
  return depth ? `${group}\t${depth.dead} dead\t${depth.waiting} waiting` : `${group}\thas no queue yet`
}

function lineOf(group: string, { id, event, reason, at, tries }: DeadLetter): string {
  const { type, subject } = (event ?? {}) as { type?: unknown; subject?: unknown }
  const fields = [group, id, type ?? '?', subject ?? '?', at, reason, tries.length]
  return fields.map(field => String(field).replace(/\s+/g, ' ')).join('\t')
}

function reportMissing(): false {
  console.error('not all of these ids were found')
  return false
}
