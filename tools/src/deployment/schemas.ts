import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { findComposeSchema, findKubernetesSchemas, type Tools } from './downloads.ts'
import { kedaSchemas } from './keda-schemas.ts'
import type { Manifest } from './manifests.ts'

// The schemas are others', with formats and keywords of their own; what counts is what they say of the values.
const options = { strict: false, validateFormats: false, allErrors: true, logger: false } as const

/** Tells what of a file is not as the Compose specification has it. */
export async function composeSchemaProblems(file: string, tools: Tools): Promise<string[]> {
  const validate = new Ajv2020(options).compile(JSON.parse(readFileSync(await findComposeSchema(tools), 'utf8')))
  return problems(validate, parse(readFileSync(file, 'utf8'), { merge: true }))
}

interface KubernetesDefinition {
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[]
}

/**
 * Gives a function that tells what of a manifest is not as its kind's schema has it: a kind of Kubernetes by its own schema,
 * one of KEDA by ours. A kind without a schema is a problem, too.
 */
export async function manifestValidator(tools: Tools): Promise<(manifest: Manifest) => string[]> {
  const base = '/api/_definitions.json'
  const document = JSON.parse(readFileSync(await findKubernetesSchemas(tools), 'utf8'))
  const ajv = new Ajv2020(options)
  ajv.addSchema(document, base)
  const refs = new Map<string, string>()
  for (const [name, definition] of Object.entries(document.$defs as Record<string, KubernetesDefinition>))
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? [])
      refs.set(`${group ? `${group}/` : ''}${version} ${kind}`, `${base}#/$defs/${name}`)
  const compiled = new Map<string, ValidateFunction>()

  return manifest => {
    const type = `${manifest.apiVersion} ${manifest.kind}`
    let validate = compiled.get(type)
    if (!validate) {
      const ref = refs.get(type)
      const schema = kedaSchemas[type] ?? (ref && { $ref: ref })
      if (!schema) return [`there is no schema of ${type}`]
      validate = ajv.compile(schema)
      compiled.set(type, validate)
    }
    return problems(validate, manifest)
  }
}

function problems(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(words)
}

function words({ instancePath, message, params }: ErrorObject): string {
  const extra = params.additionalProperty ?? params.unevaluatedProperty ?? params.allowedValues
  return `${instancePath || '/'} ${message}${extra === undefined ? '' : ` (${extra})`}`
}

/** The Compose file of the project. */
export const composeFileOf = (root: string) => join(root, 'docker-compose.yml')
