import { limits } from '@watchline/contracts/limits'
import { email as emailRule } from '@watchline/contracts/people'

/** What a provider says about somebody, as it comes. */
export type ProviderClaims = Readonly<Record<string, unknown>>

export interface Account {
  /** null where the provider tells none. */
  name: string | null
  email: string
  /** Whether the provider has made sure that the address is theirs. */
  emailVerified: boolean
  picture: string | null
}

/** The account behind a provider's claims; undefined when they hold no e-mail address. */
export function accountOf(claims: ProviderClaims): Account | undefined {
  const email = emailRule.safeParse(claims.email)
  if (!email.success) return undefined
  return {
    email: email.data,
    // Some providers write their booleans as text.
    emailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: printable(claims.name) || null,
    picture: pictureOf(claims.picture),
  }
}

function printable(name: unknown): string {
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

/** What somebody is called: as their provider says; else as they were called before, or by their address. */
export function displayName({ name, email }: Account, known?: { name: string }): string {
  return name ?? known?.name ?? localPart(email)
}

/** A name for an address nobody gave a name to: trainee.one@… is Trainee One. */
export function nameFromEmail(email: string): string {
  const words = localPart(email)
    .split(/[._+-]+/)
    .filter(Boolean)
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || email
}
