import { limits } from '@watchline/contracts/limits'
import { email as emailRule } from '@watchline/contracts/people'

/** The claims of an identity provider, not validated. */
export type ProviderClaims = Readonly<Record<string, unknown>>

export interface Account {
  /** null if the provider sends none. */
  name: string | null
  email: string
  /** The provider has verified that the address belongs to the person. */
  emailVerified: boolean
  picture: string | null
}

/** The addresses with which people may sign in. */
export interface EmailPolicy {
  requireVerified: boolean
  /** In lower case. Only verified addresses of these domains; empty: any domain. */
  allowedDomains: readonly string[]
}

/** The reason why the operator's settings refuse an account, as the code of a failed sign-in. */
export function refusalOf(
  { email, emailVerified }: Pick<Account, 'email' | 'emailVerified'>,
  { requireVerified, allowedDomains }: EmailPolicy,
): 'email_domain' | 'email_unverified' | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  if (allowedDomains.length > 0 && !allowedDomains.includes(domain)) return 'email_domain'
  if ((requireVerified || allowedDomains.length > 0) && !emailVerified) return 'email_unverified'
  return undefined
}

/** The account of a provider's claims; undefined without an email address. */
export function accountOf(claims: ProviderClaims): Account | undefined {
  const email = emailRule.safeParse(claims.email)
  if (!email.success) return undefined
  return {
    email: email.data,
    // Some providers send booleans as text.
    emailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: cleanName(claims.name) || null,
    picture: pictureOf(claims.picture),
  }
}

function cleanName(name: unknown): string {
  if (typeof name !== 'string') return ''
  return name
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, limits.nameMaxLength)
    .trim()
}

function localPart(email: string): string {
  return email.slice(0, email.lastIndexOf('@')).slice(0, limits.nameMaxLength)
}

function pictureOf(picture: unknown): string | null {
  if (typeof picture !== 'string' || picture.length > limits.urlMaxLength) return null
  return URL.canParse(picture) && new URL(picture).protocol === 'https:' ? picture : null
}

/**
 * The provider's name for a person, otherwise their current name, otherwise the local part of their
 * address.
 */
export function displayName({ name, email }: Account, person?: { name: string }): string {
  return name ?? person?.name ?? localPart(email)
}

/** A name derived from an address: trainee.one@… becomes Trainee One. */
export function nameFromEmail(email: string): string {
  const words = localPart(email)
    .split(/[._+-]+/)
    .filter(Boolean)
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || email
}
