import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { errorCodes } from '@watchline/contracts/errors'
import { type JsonSchema, type OpenApiDocument, type OpenApiOperation, openApi } from '@watchline/contracts/openapi'
import { operations } from '@watchline/contracts/operations'
import { renderReferencePage } from '../src/pages/api-reference.ts'
import { send, startTestGateway, type TestGateway } from './_util.ts'

const document = openApi({ cookies: { access: 'watchline_access', xsrf: 'XSRF-TOKEN' } })
const findDescription = (name: string): OpenApiOperation => {
  const operation = operations.find(operation => operation.name === name)!
  return document.paths[operation.path]![operation.method.toLowerCase()]!
}

describe.each(operations.map(operation => [operation.name, operation] as const))('%s', (_name, operation) => {
  const entry = document.paths[operation.path]?.[operation.method.toLowerCase()]

  test('is described with every parameter of its path', () => {
    expect(entry?.operationId).toBe(operation.name)
    const namesInPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    const parameters = (entry!.parameters ?? []).filter(parameter => parameter.in === 'path')
    expect(parameters.map(parameter => parameter.name)).toEqual(namesInPath)
    expect(parameters.every(parameter => parameter.required)).toBe(true)
  })

  test('has its success, its errors, a session if required and an anti-forgery token for writes', () => {
    expect(Object.keys(entry!.responses)).toContain(String(operation.status ?? 200))
    for (const code of operation.errors ?? []) {
      const { description } = entry!.responses[errorCodes[code].status]!
      expect(description).toContain(`\`${code}\``)
    }
    const schemes = entry!.security.flatMap(requirement => Object.keys(requirement))
    expect(schemes.includes('session')).toBe(operation.callers !== 'anyone')
    expect(schemes.includes('antiForgery')).toBe(operation.method !== 'GET' && !operation.serverCall)
    expect(entry!.requestBody?.required).toBe(operation.body ? operation.bodyOptional !== true : undefined)
  })
})

test('operation ids are unique, and every reference has a target', () => {
  const ids = Object.values(document.paths).flatMap(path => Object.values(path).map(entry => entry.operationId))
  expect(new Set(ids).size).toBe(operations.length)
  for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g))
    expect(document.components.schemas).toHaveProperty(name!)
})

test('text that is trimmed before its validation has the rules of the validation', () => {
  const body = findDescription('addComment').requestBody!.content['application/json']!.schema
  const { comment } = body.properties as Record<string, JsonSchema>
  expect(comment).toMatchObject({ type: 'string', minLength: 1, maxLength: 2_000, allOf: [{ pattern: '\\S' }] })
  const setup = findDescription('setupAdmin').requestBody!.content['application/json']!.schema
  expect((setup.properties as Record<string, JsonSchema>).email).toMatchObject({ format: 'email' })
  expect(setup.required).toEqual(['name', 'email', 'password'])
})

test('parameters with defaults are optional, and paging is in the query', () => {
  const query = findDescription('listUsers').parameters!.filter(parameter => parameter.in === 'query')
  expect(query.map(parameter => [parameter.name, parameter.required])).toEqual([
    ['limit', false],
    ['cursor', false],
    ['order', false],
    ['search', false],
    ['sort', false],
    ['role', false],
    ['without_team', false],
  ])
})

test.each([
  ['exportTeam', 'text/csv'],
  ['exportRoom', 'text/plain'],
  ['exportDueDates', 'text/calendar'],
  ['openStream', 'text/event-stream'],
])('%s answers with %s', (name, mediaType) => {
  expect(Object.keys(findDescription(name).responses['200']!.content!)).toEqual([mediaType])
})

test('a JSON file is described as a value, and the same document as PDF as a text', () => {
  const { content } = findDescription('downloadIssued').responses['200']!
  expect(content).toEqual({ 'application/json': { schema: {} }, 'application/pdf': { schema: { type: 'string' } } })
})

describe('over HTTP', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.close())

  test('the document needs no session', async () => {
    const answer = await send(gateway.url, '/api/openapi.json')
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const served = answer.json as OpenApiDocument
    expect(served.openapi).toBe('3.1.0')
    expect(Object.keys(served.paths)).toEqual(Object.keys(document.paths))
  })

  test('the reference shows every operation, without scripts and external files', async () => {
    const answer = await send(gateway.url, '/api/docs')
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    for (const operation of operations) {
      expect(answer.text).toContain(`id="${operation.name}"`)
      expect(answer.text).toContain(`/api${operation.path}`)
    }
    expect(answer.text).not.toMatch(/<script|https?:\/\//)
    expect((await send(gateway.url, '/api/docs', { method: 'POST' })).status).toBe(405)
  })

  test('both are not there where the operator wants them closed', async () => {
    const url = await gateway.startAnother({ apiDocs: false })
    for (const path of ['/api/openapi.json', '/api/docs'])
      expect(await send(url, path)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  })

  test('texts of the contracts are escaped in the page', () => {
    const hostile: OpenApiDocument = structuredClone(document)
    hostile.paths['/users']!.get!.summary = '<img src=x onerror=alert(1)>'
    expect(renderReferencePage(hostile)).not.toContain('<img')
  })
})
