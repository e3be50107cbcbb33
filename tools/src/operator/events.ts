// `npm run events -- list [service] | show <service> [id] | redrive <service> [id …] | drop <service> <id …|--all>`: the dead letters,
// events that a service gave up. Which system: AMQP_URL and AMQP_EXCHANGE, else a running `make up`, else the instance in DATA_DIR.

import { type DeadLetter, EventBusUnavailable } from '@watchline/kit/messaging/event-bus'
import { ConfigError } from '@watchline/kit/process/config'
import { projectRoot } from '../provision/paths.ts'
import { type DeadLetterOffice, groups, openDeadLetterOffice } from './dead-letters.ts'

const usage = `usage: npm run events -- list [service]               counts, or a line a letter: service, id, type, subject, time, reason, tries
       npm run events -- show <service> [id]           whole events, and the tries that failed
       npm run events -- redrive <service> [id …]      gives them to the service again: those of these ids, or all
       npm run events -- drop <service> <id …|--all>   removes them for good, and writes each to stdout as a line of JSON
services: ${groups.join(', ')}`

const [command = '', service, ...ids] = process.argv.slice(2)
process.chdir(projectRoot)
// A reader that goes away is met where it matters: by the write that fails.
process.stdout.on('error', () => {})

const commands: Record<string, (office: DeadLetterOffice) => Promise<boolean>> = {
  list: async office => {
    if (service === undefined) {
      for (const group of groups) await say(await countLine(office, group))
      return true
    }
    for (const letter of await office.deadLetters(service)) await say(lineOf(service, letter))
    return true
  },

  show: async office => {
    const letters = (await office.deadLetters(service!)).filter(({ id }) => ids.length === 0 || ids.includes(id))
    for (const letter of letters) await say(JSON.stringify(letter, null, 2))
    return ids.every(id => letters.some(letter => letter.id === id)) || notFound()
  },

  redrive: async office => {
    const count = await office.redrive(service!, ids.length > 0 ? ids : undefined)
    console.error(`${count} ${office.redriven}`)
    return count >= new Set(ids).size || notFound()
  },

  drop: async office => {
    const wanted = ids[0] === '--all' ? 'all' : ids
    const count = await office.drop(service!, wanted, letter => say(JSON.stringify({ service, ...letter })))
    console.error(`${count} dropped`)
    return wanted === 'all' || count >= new Set(ids).size || notFound()
  },
}

if (!isUnderstood()) {
  console.error(usage)
  process.exit(2)
}
try {
  const office = await openDeadLetterOffice(process.env)
  const done = await commands[command]!(office)
  await office.close()
  process.exit(done ? 0 : 1)
} catch (error) {
  const isPlain = [ConfigError, EventBusUnavailable].some(kind => error instanceof kind)
  console.error(isPlain ? (error as Error).message : error)
  process.exit(1)
}

function isUnderstood(): boolean {
  if (!Object.hasOwn(commands, command)) return false
  if (service === undefined) return command === 'list'
  if (!groups.includes(service)) return false
  if (command === 'list') return ids.length === 0
  if (command === 'show') return ids.length <= 1 && !ids[0]?.startsWith('--')
  if (command === 'drop' && ids[0] === '--all') return ids.length === 1
  return (command !== 'drop' || ids.length > 0) && !ids.some(id => id.startsWith('--'))
}

/** Resolves when it is written, so that nothing goes before it is kept. */
function say(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, error => (error ? reject(error) : resolve()))
  })
}

async function countLine(office: DeadLetterOffice, group: string): Promise<string> {
  const depth = await office.depth(group)
  return depth ? `${group}\t${depth.dead} dead\t${depth.waiting} waiting` : `${group}\thas no queue yet`
}

function lineOf(group: string, { id, event, reason, at, tries }: DeadLetter): string {
  const { type, subject } = (event ?? {}) as { type?: unknown; subject?: unknown }
  const fields = [group, id, type ?? '?', subject ?? '?', at, reason, tries.length]
  return fields.map(field => String(field).replace(/\s+/g, ' ')).join('\t')
}

function notFound(): false {
  console.error('not all of these ids were found')
  return false
}
