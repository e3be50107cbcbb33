import { type JsonSchema, type OpenApiDocument, type OpenApiOperation, openApi } from '@watchline/contracts/openapi'
import type { CookieNames } from '@watchline/identity/cookies'
import type { Exchange } from '../requests/exchange.ts'
import { reply } from '../requests/replies.ts'
import type { HeaderValues } from './security-headers.ts'

/**
 * The replies to `/api/openapi.json` and `/api/docs`, by path; computed once, because they change
 * only with the code.
 */
export function createApiReference(
  cookies: CookieNames,
  pageHeaders: HeaderValues,
): ReadonlyMap<string, (exchange: Exchange) => void> {
  const document = openApi({ cookies })
  const json = JSON.stringify(document)
  const page = renderReferencePage(document)
  const noCache = { 'cache-control': 'no-cache' }
  return new Map([
    [
      '/api/openapi.json',
      exchange => reply(exchange, 200, json, { 'content-type': 'application/json; charset=utf-8', ...noCache }),
    ],
    [
      '/api/docs',
      exchange => {
        exchange.securityHeaders = pageHeaders
        reply(exchange, 200, page, { 'content-type': 'text/html; charset=utf-8', ...noCache })
      },
    ],
  ])
}

/** The API reference as one HTML page without scripts and without external files. */
export function renderReferencePage(document: OpenApiDocument): string {
  const sections = document.tags.map(({ name }) => renderService(document, name))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.info.title)} API</title>
<style>${style}</style>
</head>
<body>
<header><h1>${escapeHtml(document.info.title)} API</h1><p>${escapeHtml(document.info.description)}</p>
<p><a href="/api/openapi.json">openapi.json</a></p>
<nav aria-label="Services">${document.tags.map(({ name }) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`).join(' ')}</nav></header>
<main>${sections.join('\n')}</main>
</body>
</html>
`
}

function renderService(document: OpenApiDocument, tag: string): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => renderOperation(document.servers[0]!.url + path, method, operation)),
  )
  return `<section aria-labelledby="${escapeHtml(tag)}"><h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>${entries.join('\n')}</section>`
}

function renderOperation(path: string, method: string, operation: OpenApiOperation): string {
  return `<details id="${escapeHtml(operation.operationId)}">
<summary><b class="${method}">${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code><span>${escapeHtml(operation.summary)}</span></summary>
<p>${escapeHtml(operation.description)} <small>${escapeHtml(operation.operationId)}</small></p>
${renderParameters(operation)}${renderRequestBody(operation)}${renderResponses(operation)}
</details>`
}

function renderParameters({ parameters = [] }: OpenApiOperation): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    parameter =>
      `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td>${parameter.in}${parameter.required ? ', required' : ''}</td><td><code>${escapeHtml(describeSchema(parameter.schema))}</code></td></tr>`,
  )
  return `<h3>Parameters</h3><table><tbody>${rows.join('')}</tbody></table>`
}

function renderRequestBody({ requestBody }: OpenApiOperation): string {
  if (!requestBody) return ''
  const [type, { schema }] = Object.entries(requestBody.content)[0]!
  return `<h3>Body <small>${escapeHtml(type)}${requestBody.required ? '' : ', optional'}</small></h3>${renderSchema(schema)}`
}

function renderResponses(operation: OpenApiOperation): string {
  return Object.entries(operation.responses)
    .map(([status, response]) => {
      const [type, content] = Object.entries(response.content ?? {})[0] ?? []
      const body = content && Number(status) < 400 ? renderSchema(content.schema) : ''
      const text = escapeHtml(response.description)
        .replaceAll('\n\n', '<br>')
        .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      return `<h3>${status} <small>${escapeHtml(Number(status) < 400 ? (type ?? '') : '')}</small></h3><p>${text}</p>${body}`
    })
    .join('')
}

function renderSchema(schema: JsonSchema): string {
  return `<pre tabindex="0">${escapeHtml(describeSchema(schema))}</pre>`
}

/** A schema written like its value; shorter than the JSON Schema in openapi.json. */
function describeSchema(schema: JsonSchema, indent = ''): string {
  const deeper = `${indent}  `
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.map(option => describeSchema(option as JsonSchema, indent)).join(' | ')
  if (schema.type === 'array')
    return `[${describeSchema(schema.items as JsonSchema, indent)}]${formatBounds(schema, 'minItems', 'maxItems')}`
  if (schema.type === 'object' && schema.properties) {
    const required = (schema.required as string[] | undefined) ?? []
    const lines = Object.entries(schema.properties as Record<string, JsonSchema>).map(
      ([name, property]) =>
        `${deeper}${name}${required.includes(name) ? '' : '?'}: ${describeSchema(property, deeper)}`,
    )
    return lines.length > 0 ? `{\n${lines.join('\n')}\n${indent}}` : '{}'
  }
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : String(schema.type ?? 'anything')
  const format = schema.format ? ` (${schema.format})` : ''
  return `${type}${format}${formatBounds(schema, 'minLength', 'maxLength')}${formatBounds(schema, 'minimum', 'maximum')}`
}

function formatBounds(schema: JsonSchema, minKey: string, maxKey: string): string {
  const min = schema[minKey]
  const max = schema[maxKey]
  if (Math.abs(Number(min)) === Number.MAX_SAFE_INTEGER || (min === undefined && max === undefined)) return ''
  return max === undefined || max === Number.MAX_SAFE_INTEGER
    ? ` ≥ ${min}`
    : min === undefined
      ? ` ≤ ${max}`
      : ` ${min}…${max}`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const style = `
:root { color-scheme: light dark; --line: light-dark(#d5dae1, #3a414d); --soft: light-dark(#f3f5f8, #1c2129); --quiet: light-dark(#4f5866, #a9b3c1) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#fff, #12161c); color: light-dark(#171b21, #e8ecf2) }
h1 { margin: 0 } h2 { margin: 2.5rem 0 .75rem } h3 { margin: 1rem 0 .25rem; font-size: 1rem }
a { color: light-dark(#0b57c2, #8ab8ff); margin-right: .75rem }
details { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0; padding: 0 .9rem }
details[open] { padding-bottom: .9rem }
summary { cursor: pointer; padding: .6rem 0; overflow-wrap: anywhere }
summary span { display: block; color: var(--quiet) }
b { display: inline-block; min-width: 4.2rem; font: 700 .85rem ui-monospace, monospace }
.get { color: light-dark(#0a6b3d, #6fd6a1) } .post { color: light-dark(#0b57c2, #8ab8ff) } .put { color: light-dark(#8a4b00, #f0b262) } .delete { color: light-dark(#a91d2c, #ff9aa5) }
code, pre { font: .875rem/1.45 ui-monospace, monospace }
pre { background: var(--soft); padding: .75rem; border-radius: .5rem; overflow: auto; margin: .25rem 0 }
table { border-collapse: collapse; width: 100% } td { border-top: 1px solid var(--line); padding: .3rem .75rem .3rem 0; vertical-align: top; overflow-wrap: anywhere }
small { color: var(--quiet); font-weight: 400 } p { margin: .25rem 0 }
`
