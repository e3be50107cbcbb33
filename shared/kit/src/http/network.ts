/**
 * The network that counts as one client in limits. It is an IPv4 address, or the /64 of an IPv6
 * address, because an IPv6 subscriber owns a whole /64.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  if (!address.includes(':')) return address
  const [prefix = '', suffix] = address.split('::')
  const groups = prefix === '' ? [] : prefix.split(':')
  if (suffix !== undefined) {
    const suffixGroups = suffix === '' ? [] : suffix.split(':')
    while (groups.length + suffixGroups.length < 8) groups.push('0')
    groups.push(...suffixGroups)
  }
  return `${groups.slice(0, 4).map(withoutLeadingZeros).join(':')}::/64`
}

function withoutLeadingZeros(group: string): string {
  return group.replace(/^0+(?=.)/, '').toLowerCase()
}
