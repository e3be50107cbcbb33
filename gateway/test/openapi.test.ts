import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { errorCodes } from '@watchline/contracts/errors'
import { type JsonSchema, type OpenApiDocument, type OpenApiOperation, openApi } from '@watchline/contracts/openapi'
import { operations } from '@watchline/contracts/operations'
import { renderReferencePage } from '../src/pages/api-reference.ts'
import { send, startTestGateway, type TestGateway } from './_util.ts'

const document = openApi({ cookies: { access: 'watchline_access', xsrf: 'XSRF-TOKEN' } })
const described = (name: string): OpenApiOperation => {
  const operation = operations.find(operation => operation.name === name)!
  return document.paths[operation.path]![operation.method.toLowerCase()]!
}

describe.each(operations.map(operation => [operation.name, operation] as const))('%s', (_name, operation) => {
  const entry = document.paths[operation.path]?.[operation.method.toLowerCase()]

  test('is described with every parameter of its path', () => {
    expect(entry?.operationId).toBe(operation.name)
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    const declared = (entry!.parameters ?? []).filter(each => each.in === 'path')
    expect(declared.map(each => each.name)).toEqual(inPath)
    expect(declared.every(each => each.required)).toBe(true)
  })

  test('has its success, its named errors, a session where it needs one and a token where it writes', () => {
    expect(Object.keys(entry!.responses)).toContain(String(operation.status ?? 200))
    for (const code of operation.errors ?? []) {
      const { description } = entry!.responses[errorCodes[code].status]!
      expect(description).toContain(`\`${code}\``)
    }
    const needs = entry!.security.flatMap(each => Object.keys(each))
    expect(needs.includes('session')).toBe(operation.callers !== 'anyone')
    expect(needs.includes('antiForgery')).toBe(operation.method !== 'GET')
    expect(entry!.requestBody?.required).toBe(operation.body ? operation.bodyOptional !== true : undefined)
  })
})

test('operation ids are unique, and every reference leads somewhere', () => {
  const ids = Object.values(document.paths).flatMap(path => Object.values(path).map(each => each.operationId))
  expect(new Set(ids).size).toBe(operations.length)
  for (const [, name] of JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g))
    expect(document.components.schemas).toHaveProperty(name!)
})

test('what is trimmed before it is checked is described by its rules', () => {
  const body = described('addComment').requestBody!.content['application/json']!.schema
  const { comment } = body.properties as Record<string, JsonSchema>
  expect(comment).toMatchObject({ type: 'string', minLength: 1, maxLength: 2_000, allOf: [{ pattern: '\\S' }] })
  const setup = described('setupAdmin').requestBody!.content['application/json']!.schema
  expect((setup.properties as Record<string, JsonSchema>).email).toMatchObject({ format: 'email' })
  expect(setup.required).toEqual(['name', 'email', 'password'])
})

test('defaults may be left out, paging is in the query', () => {
  const query = described('listUsers').parameters!.filter(each => each.in === 'query')
  expect(query.map(each => [each.name, each.required])).toEqual([
    ['limit', false],
    ['cursor', false],
    ['search', false],
    ['role', false],
  ])
})

describe('over HTTP', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.close())

  test('the document is there for anyone', async () => {
    const answer = await send(gateway.url, '/api/openapi.json')
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const served = answer.json as OpenApiDocument
    expect(served.openapi).toBe('3.1.0')
    expect(Object.keys(served.paths)).toEqual(Object.keys(document.paths))
  })

  test('the reference shows every operation, without scripts and without anything from elsewhere', async () => {
    const answer = await send(gateway.url, '/api/docs')
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    for (const operation of operations) {
      expect(answer.text).toContain(`id="${operation.name}"`)
      expect(answer.text).toContain(`/api${operation.path}`)
    }
    expect(answer.text).not.toMatch(/<script|https?:\/\//)
    expect((await send(gateway.url, '/api/docs', { method: 'POST' })).status).toBe(405)
  })

  test('what stands in the contracts cannot break the page', () => {
    const hostile: OpenApiDocument = structuredClone(document)
    hostile.paths['/users']!.get!.summary = '<img src=x onerror=alert(1)>'
    expect(renderReferencePage(hostile)).not.toContain('<img')
  })
})
