import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { run } from '../provision/programs.ts'
import { type DownloadOptions, findKustomize } from './downloads.ts'

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape, which its schema checks
  [field: string]: any
}

/** The kustomizations that a cluster can apply. */
export const kustomizations = ['k8s/base', 'k8s/overlays/small', 'k8s/overlays/production'] as const
export type Kustomization = (typeof kustomizations)[number]

/** A pod for the operator's commands, applied in addition to an overlay. */
export const operatorKustomization = 'k8s/operator'

/** The manifests that kustomize builds from a folder. */
export async function buildManifests(root: string, folder: string, options: DownloadOptions): Promise<Manifest[]> {
  const [command, ...args] = await findKustomize(options)
  const built = await run(command, [...args, join(root, folder)], { limitMs: 5 * 60_000 })
  if (!built.ok) throw new Error(`kustomize could not build ${folder}:\n${built.lastLines}`)
  return parseAllDocuments(built.stdout).map(document => {
    if (document.errors[0]) throw document.errors[0]
    return document.toJS() as Manifest
  })
}
