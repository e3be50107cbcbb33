import { limits } from '@watchline/contracts/limits'

interface PasswordOwner {
  name: string
  email: string
}

const productName = 'watchline'
/** Shorter words are in many good passwords by chance. */
const minWordLength = 3

/**
 * The reason why a new password is too easy to guess; undefined if it is hard enough. A guess
 * begins with the most common passwords, and with what everybody knows: the product, the person,
 * their address. So enough must be left of a password without these words.
 */
export function findPasswordProblem(
  password: string,
  owner: PasswordOwner,
  isCommon: (password: string) => boolean,
): string | undefined {
  const normalized = normalize(password)
  const remainder = withoutWords(normalized, knownWords(owner))
  if (isCommon(normalized) || (remainder !== undefined && isCommon(remainder)))
    return 'Password is one of the most common ones. Please choose another.'
  if (remainder !== undefined && [...remainder].length < limits.passwordMinLength)
    return `Password must have at least ${limits.passwordMinLength} letters or digits besides your name, your email address and “${productName}”`
  return undefined
}

function knownWords({ name, email }: PasswordOwner): string[] {
  const words = [normalize(email), ...normalize(`${name} ${email}`).split(/[^\p{L}\p{N}]+/u), productName]
  // The longest first: the removal of a short word could break a longer one.
  return words.filter(word => word.length >= minWordLength).sort((a, b) => b.length - a.length)
}

/** The letters and digits beside the words; undefined if the text contains none of the words. */
function withoutWords(text: string, words: readonly string[]): string | undefined {
  const remainder = words.reduce((rest, word) => rest.replaceAll(word, ' '), text)
  return remainder === text ? undefined : remainder.replace(/[^\p{L}\p{N}]/gu, '')
}

function normalize(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
