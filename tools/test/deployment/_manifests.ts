import type { Manifest } from '../../src/deployment/manifests.ts'
import type { ProcessName } from '../../src/deployment/settings.ts'

export const podOf = (workload: Manifest) => workload.spec.template.spec

/** Throws unless exactly one manifest has this kind and name. */
export function findManifest(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.filter(manifest => manifest.kind === kind && manifest.metadata.name === name)
  if (found.length !== 1) throw new Error(`${found.length} manifests are ${kind} ${name}`)
  return found[0]!
}

/** The environment that the kubelet would build from ConfigMaps and values. */
export function environmentOf(manifests: readonly Manifest[], name: ProcessName): Record<string, string> {
  const [container] = podOf(findManifest(manifests, 'Deployment', name)).containers
  const dataOf = (map: string): Record<string, string> => findManifest(manifests, 'ConfigMap', map).data
  const maps = (container.envFrom ?? []).map((from: { configMapRef: { name: string } }) =>
    dataOf(from.configMapRef.name),
  )
  const env = Object.assign({}, ...maps)
  for (const { name: key, value, valueFrom } of container.env ?? [])
    env[key] = value ?? dataOf(valueFrom.configMapKeyRef.name)[valueFrom.configMapKeyRef.key]
  return env
}
