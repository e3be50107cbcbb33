import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { type DownloadOptions, findComposeSchema, findKubernetesSchemas } from './downloads.ts'
import { readKedaSchemas } from './keda-schemas.ts'
import type { Manifest } from './manifests.ts'

// The schemas use formats and keywords that Ajv does not know. Only their constraints on values
// matter.
const ajvOptions = { strict: false, validateFormats: false, allErrors: true, logger: false } as const

/** The differences between a Compose file and the Compose specification, one sentence each. */
export async function composeSchemaProblems(file: string, options: DownloadOptions): Promise<string[]> {
  const validate = new Ajv2020(ajvOptions).compile(JSON.parse(readFileSync(await findComposeSchema(options), 'utf8')))
  return problemsOf(validate, parse(readFileSync(file, 'utf8'), { merge: true }))
}

interface KubernetesDefinition {
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[]
}

/**
 * Returns a function that lists the differences between a manifest and the schema of its kind,
 * which is Kubernetes' or KEDA's. A kind without a schema is a problem too.
 */
export async function manifestValidator(options: DownloadOptions): Promise<(manifest: Manifest) => string[]> {
  const base = '/api/_definitions.json'
  const document = JSON.parse(readFileSync(await findKubernetesSchemas(options), 'utf8'))
  const ajv = new Ajv2020(ajvOptions)
  ajv.addSchema(document, base)
  const schemas = await readKedaSchemas(options, `${base}#/$defs/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`)
  for (const [name, definition] of Object.entries(document.$defs as Record<string, KubernetesDefinition>))
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? [])
      schemas.set(`${group ? `${group}/` : ''}${version} ${kind}`, { $ref: `${base}#/$defs/${name}` })
  const compiled = new Map<string, ValidateFunction>()

  return manifest => {
    const type = `${manifest.apiVersion} ${manifest.kind}`
    let validate = compiled.get(type)
    if (!validate) {
      const schema = schemas.get(type)
      if (!schema) return [`there is no schema of ${type}`]
      validate = ajv.compile(schema)
      compiled.set(type, validate)
    }
    return problemsOf(validate, manifest)
  }
}

function problemsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(describeError)
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  const detail = params.additionalProperty ?? params.unevaluatedProperty ?? params.allowedValues
  return `${instancePath || '/'} ${message}${detail === undefined ? '' : ` (${detail})`}`
}

/** The Compose file of the project. */
export const composeFileOf = (root: string) => join(root, 'docker-compose.yml')
