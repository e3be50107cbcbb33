// `npm run layout`, part of `make check`. Compares the project's files with the table "Where things
// are" in CONTRIBUTING.md.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../provision/paths.ts'

const heading = '## Where things are'

/**
 * The path patterns of the table: every code span in the first column under "Where things are". A
 * pattern that ends with `/` names a folder and everything in it. Other patterns name one file.
 * `<name>` stands for one file or folder name.
 */
export function readPatterns(contributing: string): string[] {
  const start = contributing.indexOf(`${heading}\n`)
  if (start < 0) throw new Error(`CONTRIBUTING.md has no heading "${heading}"`)
  const section = contributing.slice(start + heading.length).split(/^## /m)[0]!
  const firstCells = section.split('\n').flatMap(line => (line.startsWith('| ') ? [line.split('|')[1]!] : []))
  return firstCells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(match => match[1]!))
}

/** One sentence for each file that no pattern names, and for each pattern that names no file. */
export function layoutProblems(files: readonly string[], patterns: readonly string[]): string[] {
  const unused = new Set(patterns)
  const matchers = patterns.map(pattern => ({ pattern, expression: expressionOf(pattern) }))
  const problems: string[] = []
  for (const file of files) {
    const matching = matchers.filter(({ expression }) => expression.test(file))
    if (matching.length === 0) problems.push(`${file}: CONTRIBUTING.md does not say what belongs here`)
    for (const { pattern } of matching) unused.delete(pattern)
  }
  return [...problems, ...[...unused].map(pattern => `CONTRIBUTING.md names ${pattern}, which does not exist`)]
}

function expressionOf(pattern: string): RegExp {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/<[a-z]+>/g, '[^/]+')
  return new RegExp(`^${escaped}${pattern.endsWith('/') ? '' : '$'}`)
}

/** The files that git tracks, and new ones that it does not ignore. */
export function projectFiles(): string[] {
  const listCommand = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '-z']
  const deleted = new Set(
    execFileSync('git', ['ls-files', '--deleted', '-z'], { cwd: projectRoot, encoding: 'utf8' }).split('\0'),
  )
  const listed = execFileSync('git', listCommand, { cwd: projectRoot, encoding: 'utf8' }).split('\0')
  return listed.filter(file => file !== '' && !deleted.has(file))
}

if (import.meta.main) {
  const patterns = readPatterns(readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8'))
  const problems = layoutProblems(projectFiles(), patterns)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
}
