import { z } from 'zod'
import { type ErrorCode, errorBody, errorCodes } from './errors.ts'
import type { AnyOperation } from './operation.ts'
import { operations as catalogue } from './operations.ts'

/** JSON Schema as far as it is looked into here. */
export type JsonSchema = { [key: string]: unknown }

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: JsonSchema
}

export interface OpenApiResponse {
  description: string
  headers?: Record<string, { description: string; schema: JsonSchema }>
  content?: Record<string, { schema: JsonSchema }>
}

export interface OpenApiOperation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: OpenApiParameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, OpenApiResponse>
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  components: {
    securitySchemes: Record<string, JsonSchema>
    schemas: Record<string, JsonSchema>
  }
}

export interface OpenApiOptions {
  /** The names of the cookies, which depend on the protocol. */
  cookies: { access: string; xsrf: string }
  operations?: readonly AnyOperation[]
}

/** The API as an OpenAPI 3.1 document, made of the same objects that parse its requests and check its answers. */
export function openApi({ cookies, operations = catalogue }: OpenApiOptions): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const operation of operations) {
    const method = operation.method.toLowerCase()
    paths[operation.path] = { ...paths[operation.path], [method]: describe(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Watchline',
      version: '0.1.0',
      description:
        'The API of the gateway. A session is a cookie set by signing in; every call that changes something also repeats ' +
        `the cookie ${cookies.xsrf} in the header X-${cookies.xsrf}. Any GET hands that cookie out. Lists answer a page and tell ` +
        'the whole number in X-Total-Count and the way to the next page in X-Next-Cursor.',
    },
    servers: [{ url: '/api' }],
    tags: [...new Set(operations.map(operation => operation.service))].map(name => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookies.access, description: 'The session.' },
        antiForgery: {
          type: 'apiKey',
          in: 'header',
          name: `X-${cookies.xsrf}`,
          description: `The value of the cookie ${cookies.xsrf}, which must come along.`,
        },
      },
      schemas: { Error: schemaOf(errorBody, 'output') },
    },
  }
}

function describe(operation: AnyOperation): OpenApiOperation {
  const writes = operation.method !== 'GET'
  const signedIn = operation.who !== 'anyone'
  const parameters = [
    ...parametersOf(operation.params, 'path'),
    ...parametersOf(operation.query, 'query'),
  ] satisfies OpenApiParameter[]
  const needs = { ...(signedIn && { session: [] }), ...(writes && { antiForgery: [] }) }
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: `Who: ${typeof operation.who === 'string' ? operation.who : operation.who.join(', ')}.`,
    tags: [operation.service],
    security: Object.keys(needs).length > 0 ? [needs] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && {
      requestBody: {
        required: operation.bodyOptional !== true,
        content: { 'application/json': { schema: schemaOf(operation.body, 'input') } },
      },
    }),
    responses: { ...success(operation), ...failures(operation) },
  }
}

function success(operation: AnyOperation): Record<string, OpenApiResponse> {
  const status = operation.status ?? 200
  const schema = schemaOf(operation.response, 'output')
  if (schema.type !== 'null') return { [status]: { description: 'Done.', content: { 'application/json': { schema } } } }
  // An answer without JSON is a redirect or, with 200, the stream.
  if (status >= 300 && status < 400)
    return {
      [status]: {
        description: 'Goes on elsewhere.',
        headers: { Location: { description: 'Where to.', schema: { type: 'string' } } },
      },
    }
  return { [status]: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } } }
}

function failures(operation: AnyOperation): Record<string, OpenApiResponse> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codesOf(operation)) {
    const { status } = errorCodes[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map(code => `\`${code}\`: ${errorCodes[code].detail}`).join('\n\n'),
        ...([429, 503].includes(status) && {
          headers: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } } },
        }),
        content: {
          'application/json': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Error' },
                { type: 'object', properties: { code: { enum: codes } } },
              ],
            },
          },
        },
      },
    ]),
  )
}

/** The errors of an operation: the ones it names, and those of its shape and of the gateway. */
function codesOf(operation: AnyOperation): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(['malformed'])
  if (operation.who !== 'anyone') codes.add('no_session').add('token_expired')
  if (operation.method !== 'GET') codes.add('csrf')
  if (typeof operation.who !== 'string') codes.add('forbidden')
  if (operation.params) codes.add('not_found')
  if (operation.body) codes.add('too_large').add('not_json')
  if (operation.body || operation.query) codes.add('invalid')
  for (const code of operation.errors ?? []) codes.add(code)
  return codes.add('too_many').add('internal').add('unavailable').add('overloaded').add('too_slow')
}

function parametersOf(schema: z.ZodType | undefined, where: 'path' | 'query'): OpenApiParameter[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, each]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: each,
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const override = io === 'input' ? tightenTrimmed : loosenAnswers
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override }) as JsonSchema
  return rest
}

/** Answers may gain fields without breaking anybody; and where a format says it all, no pattern need repeat it. */
function loosenAnswers({ jsonSchema }: { jsonSchema: JsonSchema }) {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
}

/**
 * Text that is trimmed before it is checked is a pipe, of which JSON Schema would only show the loose entrance. The rules at its
 * end are shown instead, so that the document allows no more than the validator.
 */
function tightenTrimmed({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }) {
  const { def } = zodSchema._zod
  if (def.type !== 'pipe' || def.out._zod.def.type !== 'string') return
  const { $schema: _, ...rules } = z.toJSONSchema(def.out, { io: 'input' }) as JsonSchema
  Object.assign(jsonSchema, rules)
  // Text of blanks only counts as empty.
  if (typeof rules.minLength === 'number' && rules.minLength > 0)
    Object.assign(jsonSchema, { allOf: [{ pattern: '\\S' }] })
}
