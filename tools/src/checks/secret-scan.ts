// `npm run secret-scan`, part of `make check`. Finds secrets in the project's files, so that nobody
// commits one. Examples in tests are too short to be found.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../provision/paths.ts'
import { projectFiles } from './layout.ts'

const contents: readonly [kind: string, pattern: RegExp][] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:\\n|\s)+[A-Za-z\d+/]{40}/g],
  ['an access token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/g],
  ['an address with a password', /\b[a-z][a-z+]+:\/\/[^\s/:@'"`]+:[\w-]{16,}@/g],
  ['a key of Google', /\bAIza[\w-]{35}/g],
  ['a key of AWS', /\bAKIA[A-Z\d]{16}\b/g],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z\d]{36}|github_pat_\w{22,})/g],
  ['a token of npm', /\bnpm_[A-Za-z\d]{36}\b/g],
  ['a token of Slack', /\bxox[abeprs]-[\w-]{10,}/g],
]

/** Files that only a running installation has. */
const names = /(^|\/)(\.env|secrets\.json|watchline-(keyfile|password)|[^/]+\.(key|pem|p12|pfx))$|^(secrets|data)\//

/** One sentence for each secret, without the secret. */
export function secretProblems(file: string, text: string): string[] {
  const problems = names.test(file) ? [`${file}: a file with secrets does not belong in the repository`] : []
  for (const [kind, pattern] of contents)
    for (const { index } of text.matchAll(pattern))
      problems.push(`${file}:${text.slice(0, index).split('\n').length}: looks like ${kind}`)
  return problems
}

if (import.meta.main) {
  const problems = projectFiles().flatMap(file => secretProblems(file, readFileSync(join(projectRoot, file), 'latin1')))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
}
