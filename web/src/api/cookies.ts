/** The value of a cookie that scripts may read; undefined without one or with an empty one. */
export function readCookie(name: string): string | undefined {
  const prefix = `${name}=`
  const pair = document.cookie.split('; ').find(candidate => candidate.startsWith(prefix))
  return pair ? decodeURIComponent(pair.slice(prefix.length)) || undefined : undefined
}

/** The kind of account that this browser last signed in to; undefined after signing out. */
export const readAccountKind = () => readCookie('watchline_account')
