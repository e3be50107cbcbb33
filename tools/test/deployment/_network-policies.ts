import { BlockList } from 'node:net'
import type { Manifest } from '../../src/deployment/manifests.ts'

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
  ipBlock?: { cidr: string; except?: string[] }
}

interface Rule {
  from?: Peer[]
  to?: Peer[]
  ports?: { protocol?: string; port: string | number }[]
}

/**
 * One end of a connection: a pod of this or another namespace, or an address outside the cluster:
 * this one, or any public one.
 */
export type Party = { labels: Labels; namespace?: string } | 'outside' | { address: string }

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

function isOutsideNamespace(
  party: Party,
): party is 'outside' | { address: string } | { labels: Labels; namespace: string } {
  return isAddress(party) || party.namespace !== undefined
}

const isAddress = (party: Party): party is 'outside' | { address: string } => party === 'outside' || 'address' in party

/** An address of the public internet (documentation range). */
const publicAddress = '203.0.113.1'

function isInBlock({ cidr, except = [] }: { cidr: string; except?: string[] }, address: string): boolean {
  const family = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4')
  const contains = (block: string) => {
    const [network, prefix] = block.split('/') as [string, string]
    const list = new BlockList()
    list.addSubnet(network, Number(prefix), family(network))
    return family(network) === family(address) && list.check(address, family(address))
  }
  return contains(cidr) && !except.some(contains)
}

function matchesPeer(peer: Peer, party: Party): boolean {
  if (isAddress(party))
    return peer.ipBlock !== undefined && isInBlock(peer.ipBlock, party === 'outside' ? publicAddress : party.address)
  if (peer.ipBlock) return false
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
