// `npm run comment-width`, part of `make check`: finds comments that are wider than the rule of
// CONTRIBUTING.md allows. Biome's line width holds for code only.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../provision/paths.ts'
import { projectFiles } from './layout.ts'

const maxColumns = 100
const commentLine = /^\s*(\/\/|\/?\*|\{\/\*)/
/** Biome reads these from one line. */
const instruction = /biome-ignore|@ts-expect-error/

/** The numbers of the comment lines that are too wide, from 1. */
export function findWideComments(source: string): number[] {
  return source
    .split('\n')
    .flatMap((line, index) =>
      line.length > maxColumns && commentLine.test(line) && !instruction.test(line) ? [index + 1] : [],
    )
}

if (import.meta.main) {
  const problems = projectFiles()
    .filter(file => /\.(ts|tsx|js|mjs|cjs|css)$/.test(file))
    .flatMap(file => findWideComments(readFileSync(join(projectRoot, file), 'utf8')).map(line => `${file}:${line}`))
  for (const problem of problems) console.error(`${problem}: a comment has at most ${maxColumns} columns`)
  if (problems.length > 0) process.exit(1)
}
