import { z } from 'zod'
import { type ErrorCode, errorBody, errorCodes } from './errors.ts'
import type { AnyOperation } from './operation.ts'
import { operations as allOperations } from './operations.ts'

/** A JSON Schema object; this file knows only a few of its keywords. */
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
  /** The names of the cookies; they depend on the protocol (http or https). */
  cookies: { access: string; xsrf: string }
  operations?: readonly AnyOperation[]
}

/**
 * The API as an OpenAPI 3.1 document. It is made of the same operations that parse requests and
 * check responses.
 */
export function openApi({ cookies, operations = allOperations }: OpenApiOptions): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const operation of operations) {
    const method = operation.method.toLowerCase()
    paths[operation.path] = { ...paths[operation.path], [method]: describeOperation(operation) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Watchline',
      version: '0.1.0',
      description:
        'The API of the gateway. Signing in sets the session cookie. Every call that changes something also needs the header ' +
        `X-${cookies.xsrf} with the value of the cookie ${cookies.xsrf}, which any GET sets. Lists respond with one page: ` +
        'X-Total-Count is the number of all entries, and X-Next-Cursor is the cursor of the next page.',
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
          description: `The value of the cookie ${cookies.xsrf}, which the call must also send.`,
        },
      },
      schemas: { Error: schemaOf(errorBody, 'output') },
    },
  }
}

function describeOperation(operation: AnyOperation): OpenApiOperation {
  const { callers } = operation
  const parameters = [...parametersOf(operation.params, 'path'), ...parametersOf(operation.query, 'query')]
  const requirement = {
    ...(callers !== 'anyone' && { session: [] }),
    ...(operation.method !== 'GET' && !operation.serverCall && { antiForgery: [] }),
  }
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: `Callers: ${typeof callers === 'string' ? callers : callers.join(', ')}.`,
    tags: [operation.service],
    security: Object.keys(requirement).length > 0 ? [requirement] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && {
      requestBody: {
        required: operation.bodyOptional !== true,
        content: {
          [operation.serverCall ? 'application/x-www-form-urlencoded' : 'application/json']: {
            schema: bodySchema(operation),
          },
        },
      },
    }),
    responses: { ...successResponse(operation), ...errorResponses(operation) },
  }
}

/** Without a body, clients may also send `null`. */
function bodySchema({ body, bodyOptional }: AnyOperation): JsonSchema {
  const schema = schemaOf(body, 'input')
  return bodyOptional ? { anyOf: [schema, { type: 'null' }] } : schema
}

function successResponse(operation: AnyOperation): Record<string, OpenApiResponse> {
  const status = operation.status ?? 200
  const schema = schemaOf(operation.response, 'output')
  if (schema.type !== 'null') return { [status]: { description: 'Done.', content: { 'application/json': { schema } } } }
  if (operation.mediaType) {
    const types: string[] = [operation.mediaType].flat()
    // A JSON file is a value of any form; the other files are texts or bytes.
    const schemaOfFile = (type: string): JsonSchema => (type === 'application/json' ? {} : { type: 'string' })
    const content = Object.fromEntries(types.map(type => [type, { schema: schemaOfFile(type) }]))
    return { [status]: { description: 'Done.', content } }
  }
  return {
    [status]: {
      description: 'A redirect.',
      headers: { Location: { description: 'The address to open.', schema: { type: 'string' } } },
    },
  }
}

function errorResponses(operation: AnyOperation): Record<string, OpenApiResponse> {
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

/** The errors that the operation declares, those that follow from its shape, and the gateway's. */
function codesOf(operation: AnyOperation): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(['malformed'])
  if (operation.callers !== 'anyone') codes.add('no_session').add('token_expired')
  if (operation.method !== 'GET') codes.add('csrf')
  if (typeof operation.callers !== 'string') codes.add('forbidden')
  if (operation.params) codes.add('not_found')
  if (operation.body) codes.add('too_large').add('not_json')
  if (operation.body || operation.query) codes.add('invalid')
  for (const code of operation.errors ?? []) codes.add(code)
  return codes.add('too_many').add('internal').add('unavailable').add('overloaded').add('too_slow')
}

function parametersOf(schema: z.ZodType | undefined, location: OpenApiParameter['in']): OpenApiParameter[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema: property,
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const override = (context: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }) => {
    describeEqualItems(context)
    if (io === 'input') tightenTrimmedText(context)
    else loosenResponse(context)
  }
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io, override }) as JsonSchema
  return jsonSchema
}

/** A tuple of equal items is an array of two, for instance. Not every tool reads `prefixItems`. */
function describeEqualItems({ jsonSchema }: { jsonSchema: JsonSchema }) {
  const { prefixItems } = jsonSchema
  if (!Array.isArray(prefixItems) || new Set(prefixItems.map(item => JSON.stringify(item))).size !== 1) return
  jsonSchema.items = prefixItems[0]
  jsonSchema.minItems = prefixItems.length
  jsonSchema.maxItems = prefixItems.length
  delete jsonSchema.prefixItems
}

/** Responses may gain fields without breaking clients. A pattern that repeats a format is noise. */
function loosenResponse({ jsonSchema }: { jsonSchema: JsonSchema }) {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
}

/**
 * Text that is trimmed before its validation is a zod pipe, and JSON Schema shows only its loose
 * input. This adds the rules of its output, so that the document allows no more than the validator.
 */
function tightenTrimmedText({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }) {
  const { def } = zodSchema._zod
  if (def.type !== 'pipe' || def.out._zod.def.type !== 'string') return
  const { $schema: _, ...rules } = z.toJSONSchema(def.out, { io: 'input' }) as JsonSchema
  Object.assign(jsonSchema, rules)
  // Text of blanks alone counts as empty.
  if (typeof rules.minLength === 'number' && rules.minLength > 0)
    Object.assign(jsonSchema, { allOf: [{ pattern: '\\S' }] })
}
