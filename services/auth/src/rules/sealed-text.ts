/** The id of the key that sealed a text, see `createSecretBox`. Earlier versions stored none. */
export function sealingKeyOf(sealed: string): string | undefined {
  return sealed.split('.')[3]
}
