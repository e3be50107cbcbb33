import type { Manifest } from './manifests.ts'

// The meaning of NetworkPolicies, for the features that these manifests use: peers by pod labels,
// namespaces by name, address blocks, ports by name or number.
// Source: kubernetes.io/docs/concepts/services-networking/network-policies

type Labels = Record<string, string>

interface Selector {
  matchLabels?: Labels
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

interface Peer {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: { cidr: string }
}

interface Rule {
  from?: Peer[]
  to?: Peer[]
  ports?: { protocol?: string; port: string | number }[]
}

/**
 * One end of a connection: a pod of this or another namespace, or an address outside the cluster.
 */
export type Party = { labels: Labels; namespace?: string } | 'outside'

export interface Port {
  name?: string
  number: number
}

/**
 * Returns a function that decides whether `from` may open a connection to `to`. The policies of
 * both ends must allow it.
 */
export function createNetwork(manifests: readonly Manifest[]) {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')

  function allows(direction: 'Ingress' | 'Egress', own: Labels, peer: Party, port: Port): boolean {
    const selected = policies.filter(
      ({ spec }) => spec.policyTypes.includes(direction) && selects(spec.podSelector, own),
    )
    if (selected.length === 0) return true
    const rules: Rule[] = selected.flatMap(({ spec }) => (direction === 'Ingress' ? spec.ingress : spec.egress) ?? [])
    return rules.some(rule => {
      const peers = direction === 'Ingress' ? rule.from : rule.to
      return (
        (!peers || peers.some(rulePeer => matchesPeer(rulePeer, peer))) &&
        (!rule.ports || rule.ports.some(isPort(port)))
      )
    })
  }

  return (from: Party, to: Party, port: Port): boolean =>
    (isOutsideNamespace(from) || allows('Egress', from.labels, to, port)) &&
    (isOutsideNamespace(to) || allows('Ingress', to.labels, from, port))
}

function isOutsideNamespace(party: Party): party is 'outside' | { labels: Labels; namespace: string } {
  return party === 'outside' || party.namespace !== undefined
}

function matchesPeer(peer: Peer, party: Party): boolean {
  if (peer.ipBlock) return party === 'outside'
  if (party === 'outside') return false
  if (peer.namespaceSelector) {
    const namespace = { 'kubernetes.io/metadata.name': party.namespace ?? 'watchline' }
    if (!selects(peer.namespaceSelector, namespace)) return false
  } else if (party.namespace !== undefined) return false
  return !peer.podSelector || selects(peer.podSelector, party.labels)
}

const isPort =
  (port: Port) =>
  (allowed: { port: string | number }): boolean =>
    allowed.port === port.name || allowed.port === port.number

export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`${operator} is not known here`)
      return values.includes(labels[key] ?? '')
    })
  )
}
