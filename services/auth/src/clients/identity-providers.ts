import type { IdentityProvider } from './identity-provider.ts'
import { SignInFailure } from './sign-in-failure.ts'

/** A sign-in provider as the sign-in page offers it. `id` stands in addresses and cookies. */
export interface OfferedProvider {
  id: string
  name: string
}

export interface IdentityProviders {
  /** In the order of the settings, at least one. */
  offered: readonly OfferedProvider[]
  /**
   * The provider with this id; without an id, the first one. Throws {@link SignInFailure} for an
   * unknown id.
   */
  get(id: string | undefined): IdentityProvider
  /** As `get`, but undefined for a provider that is no longer configured. */
  find(id: string): IdentityProvider | undefined
  /** The provider whose accounts are stored under this issuer. */
  findByAccountIssuer(issuer: string): IdentityProvider | undefined
  /** The provider that issues tokens under this name, with its id. */
  findByIssuer(issuer: string): { id: string; provider: IdentityProvider } | undefined
}

export function createIdentityProviders(
  entries: readonly (OfferedProvider & { provider: IdentityProvider })[],
): IdentityProviders {
  const [first] = entries
  if (!first) throw new Error('there is no sign-in provider')
  return {
    find: id => entries.find(candidate => candidate.id === id)?.provider,
    findByAccountIssuer: issuer => entries.find(({ provider }) => provider.accountIssuer === issuer)?.provider,
    findByIssuer: issuer => entries.find(({ provider }) => provider.issuer === issuer),
    offered: entries.map(({ id, name }) => ({ id, name })),
    get: id => {
      const entry = id === undefined ? first : entries.find(candidate => candidate.id === id)
      if (!entry) throw new SignInFailure('unknown_provider', 'There is no such sign-in provider')
      return entry.provider
    },
  }
}
