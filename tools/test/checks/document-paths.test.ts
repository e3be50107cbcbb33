import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectFiles } from '../../src/checks/layout.ts'
import { projectRoot } from '../../src/provision/paths.ts'

const files = projectFiles()
const paths = new Set(files.flatMap(listFolders).concat(files))
const topFolders = new Set(files.flatMap(file => (file.includes('/') ? [file.split('/')[0]!] : [])))
const documents = files.filter(file => file.endsWith('.md'))

/** `a/b/c.ts`: `a` and `a/b`. */
function listFolders(file: string): string[] {
  const folder = dirname(file)
  return folder === '.' ? [] : [folder, ...listFolders(folder)]
}

/** A code span names a path of the project if it begins with one of its folders. */
function listNamedPaths(text: string): string[] {
  const spans = [...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)+)\/?`/g)].map(match => match[1]!)
  return spans.filter(span => topFolders.has(span.split('/')[0]!))
}

/** The targets of links to other files, as paths from the root of the project. */
function listLinkedPaths(document: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(match => match[1]!)
  return targets.filter(target => !/^[a-z]+:/.test(target)).map(target => join(dirname(document), target))
}

test.each(documents)('%s names and links only files that exist', document => {
  const text = readFileSync(join(projectRoot, document), 'utf8')
  const named = [...listNamedPaths(text), ...listLinkedPaths(document, text)]
  expect(named.filter(path => !paths.has(path.replace(/\/$/, '')))).toEqual([])
})
