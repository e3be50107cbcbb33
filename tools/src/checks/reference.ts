// `npm run reference`: writes docs/events.md and docs/api.md from the contracts. A test compares
// the committed files with the contracts.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCodes } from '@watchline/contracts/errors'
import { type EventDeclaration, events } from '@watchline/contracts/events'
import { type AnyOperation, serviceNames } from '@watchline/contracts/operation'
import { operations } from '@watchline/contracts/operations'
import { z } from 'zod'

const generated = '<!-- Generated from shared/contracts by `npm run reference`. Do not edit. -->'

/** The event catalogue as a page: meaning, producer, consumers and data of each event. */
export function eventsPage(): string {
  const rows = Object.entries<EventDeclaration>(events).map(
    ([type, { meaning, producer, consumers, liveSubscribers = [], data }]) => {
      const receivers = [...consumers, ...liveSubscribers.map(name => `${name} (live)`)].join(', ') || 'none yet'
      return `| \`${type}\` | ${meaning} | ${producer} | ${receivers} | ${fieldsOf(data)} |`
    },
  )
  return [
    '# Events',
    '',
    generated,
    '',
    'Every event is a CloudEvents 1.0 envelope (`id`, `source`, `type`, `subject`, `time`, `data`, `traceparent`) in JSON. The outbox of',
    'its producer publishes it at least once; `presence.changed` and `chat.changed` are published directly and may be lost. Consumers have a durable',
    'queue. Live subscribers receive events only while they run.',
    '',
    '| type | meaning | producer | consumers | data |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

/**
 * The operations as a page, by service. The running product serves them as OpenAPI under /api/docs.
 */
export function operationsPage(): string {
  return [
    '# API',
    '',
    generated,
    '',
    'All paths are under `/api`. Errors are `{detail, code, request_id, errors?}`. State-changing calls need the `X-XSRF-TOKEN` header with the value',
    'of the `XSRF-TOKEN` cookie. The running product serves this reference with all shapes under `/api/docs`.',
    ...serviceNames.flatMap(service => [
      '',
      `## ${service}`,
      '',
      ...operationsTable(operations.filter(operation => operation.service === service)),
    ]),
    '',
    '## Error codes',
    '',
    '| code | status | default text |',
    '| --- | --- | --- |',
    ...Object.entries(errorCodes).map(([code, { status, detail }]) => `| \`${code}\` | ${status} | ${detail} |`),
    '',
  ].join('\n')
}

function operationsTable(list: AnyOperation[]): string[] {
  return [
    '| operation | call | callers | summary | errors |',
    '| --- | --- | --- | --- | --- |',
    ...list.map(({ name, method, path, callers: allowed, summary, errors = [] }) => {
      const callers = typeof allowed === 'string' ? allowed : allowed.join(', ')
      return `| ${name} | \`${method} ${path}\` | ${callers} | ${summary} | ${errors.join(', ')} |`
    }),
  ]
}

function fieldsOf(data: z.ZodType): string {
  const { properties = {} } = z.toJSONSchema(data, { io: 'input' })
  return Object.keys(properties).join(', ')
}

export const pages = { 'docs/events.md': eventsPage, 'docs/api.md': operationsPage }

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  for (const [path, page] of Object.entries(pages)) writeFileSync(join(root, path), page())
}
