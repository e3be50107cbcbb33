import type { Manifest } from './manifests.ts'

// What NetworkPolicies mean, as far as these manifests use them: peers by labels of pods, namespaces by their name, address
// blocks, ports by name or number. Source: kubernetes.io/docs/concepts/services-networking/network-policies

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

/** Somebody who speaks or is spoken to: a pod of this namespace, of another one, or an address outside of the cluster. */
export type Party = { labels: Labels; namespace?: string } | 'outside'

export interface Port {
  name?: string
  number: number
}

/** Tells whether the policies let `from` open a connection to `to`. Both ends have a say, each for itself. */
export function createNetwork(manifests: readonly Manifest[]) {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')

  function allows(direction: 'Ingress' | 'Egress', own: Labels, other: Party, port: Port): boolean {
    const concerned = policies.filter(
      ({ spec }) => spec.policyTypes.includes(direction) && selects(spec.podSelector, own),
    )
    if (concerned.length === 0) return true
    const rules: Rule[] = concerned.flatMap(({ spec }) => (direction === 'Ingress' ? spec.ingress : spec.egress) ?? [])
    return rules.some(rule => {
      const peers = direction === 'Ingress' ? rule.from : rule.to
      return (!peers || peers.some(peer => isMeant(peer, other))) && (!rule.ports || rule.ports.some(same(port)))
    })
  }

  return (from: Party, to: Party, port: Port): boolean =>
    (isElsewhere(from) || allows('Egress', from.labels, to, port)) &&
    (isElsewhere(to) || allows('Ingress', to.labels, from, port))
}

function isElsewhere(party: Party): party is 'outside' | { labels: Labels; namespace: string } {
  return party === 'outside' || party.namespace !== undefined
}

function isMeant(peer: Peer, party: Party): boolean {
  if (peer.ipBlock) return party === 'outside'
  if (party === 'outside') return false
  if (peer.namespaceSelector) {
    const namespace = { 'kubernetes.io/metadata.name': party.namespace ?? 'watchline' }
    if (!selects(peer.namespaceSelector, namespace)) return false
  } else if (party.namespace !== undefined) return false
  return !peer.podSelector || selects(peer.podSelector, party.labels)
}

const same =
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
