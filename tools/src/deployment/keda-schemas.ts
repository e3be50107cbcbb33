import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { type DownloadOptions, findKedaDefinitions } from './downloads.ts'

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  'x-kubernetes-preserve-unknown-fields'?: boolean
  $ref?: string
}

interface CustomResourceDefinition {
  spec: {
    group: string
    names: { kind: string }
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[]
  }
}

/**
 * The schemas of KEDA's kinds, by `<apiVersion> <kind>`. `objectMeta` is the reference of
 * Kubernetes' schema of metadata.
 */
export async function readKedaSchemas(options: DownloadOptions, objectMeta: string): Promise<Map<string, object>> {
  const documents = parseAllDocuments(readFileSync(await findKedaDefinitions(options), 'utf8'))
  const definitions = documents.map(document => document.toJS() as CustomResourceDefinition)
  return new Map(
    definitions.flatMap(({ spec }) =>
      spec.versions.map(({ name, schema }): [string, object] => [
        `${spec.group}/${name} ${spec.names.kind}`,
        refuseUnknownFields({
          ...schema.openAPIV3Schema,
          properties: { ...schema.openAPIV3Schema.properties, metadata: { $ref: objectMeta } },
        }),
      ]),
    ),
  )
}

/** A cluster drops unknown fields without an error, so a misspelled field would have no effect. */
function refuseUnknownFields(schema: Schema): Schema {
  const { properties, items, additionalProperties } = schema
  const isOpen = additionalProperties !== undefined || schema['x-kubernetes-preserve-unknown-fields']
  return {
    ...schema,
    ...(items && { items: refuseUnknownFields(items) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, refuseUnknownFields(property)]),
      ),
      ...(!isOpen && { additionalProperties: false }),
    }),
  }
}
